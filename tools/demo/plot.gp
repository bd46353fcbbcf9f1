# folder/demo.png from the data that linefilter_demo left in the folder:
#   gnuplot -e "folder='demo'; heading='title of the whole'" plot.gp
set terminal pngcairo size 1500,700 noenhanced font "DejaVu Sans,12" background "#ffffff"
set output folder."/demo.png"
set datafile separator "\t"
blocked = "#0b6e99"
classic = "#d9730d"
ink = "#333333"
set border 3 lc rgb ink
set tics nomirror textcolor rgb ink
set grid ytics lc rgb "#dddddd" lt 1 lw 1
set multiplot layout 1,2 title heading font "DejaVu Sans Bold,16" \
  textcolor rgb ink margins 0.06,0.985,0.135,0.85 spacing 0.075

set title "False positives" font "DejaVu Sans,13"
set xlabel "bits per key"
set ylabel "false-positive rate, % (log scale)"
set logscale y
set xrange [7:17]
set yrange [0.025:5]
set format y "%g"
set ytics (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
set key top right spacing 1.4
plot folder."/model.tsv" using 1:2 with lines lw 2.5 lc rgb blocked title "blocked, expected", \
     folder."/fpr_blocked.tsv" using 1:2:3:4 with yerrorbars pt 7 ps 1.5 lw 1.5 lc rgb blocked \
       title "blocked, measured (95 % interval)", \
     folder."/model.tsv" using 1:3 with lines lw 2.5 dt (8,4) lc rgb classic title "classic Bloom, expected", \
     folder."/fpr_classic.tsv" using 1:2:3:4 with yerrorbars pt 5 ps 1.4 lw 1.5 lc rgb classic \
       title "classic Bloom, measured (95 % interval)"

unset logscale y
set ytics autofreq
set title "Lookup at 10 bits per key, by SIMD target" font "DejaVu Sans,13"
set xlabel "layout and target" offset 0,-1.2
set ylabel "ns per lookup (less is better)"
set autoscale x
set yrange [0:*]
stats folder."/ns.tsv" using 2 nooutput
set xrange [-0.6:STATS_records - 0.4]
set offsets 0, 0, graph 0.08, 0
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set boxwidth 0.9
set key top left
set xtics font "DejaVu Sans,11" scale 0
width = 1.0 / 4
label(v) = v < 10 ? sprintf("%.1f", v) : sprintf("%.0f", v)
plot folder."/ns.tsv" using 2:xtic(1) lc rgb "#7fb7d0" title "single, hash given", \
     "" using 3 lc rgb blocked title "batch, hashes given", \
     "" using 4 lc rgb "#b0b0b0" title "batch, words hashed too", \
     "" using ($0 - width):2:(label($2)) with labels offset 0,0.6 font "DejaVu Sans,9" textcolor rgb ink notitle, \
     "" using ($0):3:(label($3)) with labels offset 0,0.6 font "DejaVu Sans,9" textcolor rgb ink notitle, \
     "" using ($0 + width):4:(label($4)) with labels offset 0,0.6 font "DejaVu Sans,9" textcolor rgb ink notitle
unset multiplot
