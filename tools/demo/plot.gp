# folder/demo.png from the points that linefilter_demo left in the folder:
#   gnuplot -e "folder='demo'; heading='title of the whole'" plot.gp
set terminal pngcairo size 1100,700 noenhanced font "DejaVu Sans,12" background "#ffffff"
set output folder."/demo.png"
set datafile separator "\t"
ink = "#333333"
ours = "#0b6e99"
theirs = "#b5651d"
set border 3 lc rgb ink
set tics nomirror textcolor rgb ink
set grid lc rgb "#e4e4e4" lt 1 lw 1
set title heading."\nlower: fewer false positives; further left: faster" font "DejaVu Sans Bold,14" textcolor rgb ink
set xlabel "ns per lookup of a word, hashing included; from the mark (in a batch) to the end of its line (one word at a time)"
set ylabel "false-positive rate, %"
set logscale xy
set format y "%g"
set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
stats folder."/points.tsv" using 4:5 nooutput
set xrange [STATS_min_x / 1.5 : STATS_max_x * 3]
set yrange [STATS_min_y / 1.6 : STATS_max_y * 1.6]
unset key
# Our names stand above their lines: behind them, at the same height, may be somebody else's mark.
points = folder."/points.tsv"
plot for [whose=0:1] points using 4:($2 == whose ? $5 : NaN):($3 - $4):(0) with vectors nohead lw 4 lc rgb (whose ? ours : theirs), \
     for [whose=0:1] points using 4:($2 == whose ? $5 : NaN) with points pt 7 ps (whose ? 2.4 : 1.8) lc rgb (whose ? ours : theirs), \
     points using 4:($2 == 1 ? $5 : NaN):1 with labels left offset -0.5,0.9 textcolor rgb ours font "DejaVu Sans,12", \
     points using 3:($2 == 0 ? $5 : NaN):1 with labels left offset 1.2,0.1 textcolor rgb theirs font "DejaVu Sans,12"
