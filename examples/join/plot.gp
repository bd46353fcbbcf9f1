# Speed-up by selectivity, from the file that `join_example --tsv` leaves:
#   gnuplot -e "tsv='join.tsv'; svg='join.svg'" examples/join/plot.gp
# Lines are of columns.h, dashes of the loop that engines write by hand; a colour is a build side.
set terminal svg size 900,600 noenhanced font "DejaVu Sans,13" background "#ffffff"
set output svg
set datafile separator "\t"
ink = "#333333"
set border 3 lc rgb ink
set tics nomirror textcolor rgb ink
set grid lc rgb "#e4e4e4" lt 1 lw 1
set title "A hash join with a filter in front\nhigher: faster than the join without (1)" textcolor rgb ink
set xlabel "% of the rows of the probe side that find a partner"
set ylabel "speed-up, the making of the filter included"
set logscale x
set format x "%g"
set xtics (0.1, 1, 5, 20, 50, 100)
set xrange [0.09 : 110]
set yrange [0 : *]
set key outside right top title "rows of the build side" textcolor rgb ink
array colour[5] = ["#0b6e99", "#b5651d", "#5b8c3a", "#8a4f9e", "#c0392b"]
speed_up(way, build) = (stringcolumn(3) eq way && column(1) == build) ? column(6) : NaN
set datafile missing NaN
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb ink lw 1
plot for [i=3:7] tsv using 2:(speed_up("columns", 10**i)) with linespoints pt 7 ps 0.7 lw 2.5 lc rgb colour[i - 2] \
       title sprintf("%g", 10**i), \
     for [i=3:7] tsv using 2:(speed_up("one_by_one", 10**i)) with lines dt 2 lw 1.5 lc rgb colour[i - 2] notitle
