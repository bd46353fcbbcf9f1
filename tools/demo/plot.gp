# folder/demo.png from the data that linefilter_demo left in the folder:
#   gnuplot -e "folder='demo'; heading='title of the whole'" plot.gp
set terminal pngcairo size 1800,760 noenhanced font "DejaVu Sans,12" background "#ffffff"
set output folder."/demo.png"
set datafile separator "\t"
# The layouts are named in the first line of the model; their colours and marks follow in that order.
layouts = system("head -n 1 '".folder."/model.tsv' | cut -f 2-")
colours = "#0b6e99 #d9730d #3f8f3f #8a4fae #b03a48"
marks = "7 5 9 11 13"
ink = "#333333"
set border 3 lc rgb ink
set tics nomirror textcolor rgb ink
set grid ytics lc rgb "#dddddd" lt 1 lw 1
set multiplot layout 1,2 title heading font "DejaVu Sans Bold,16" \
  textcolor rgb ink margins 0.05,0.985,0.175,0.86 spacing 0.075

set title "False positives" font "DejaVu Sans,13"
set xlabel "bits per key"
set ylabel "false-positive rate, % (log scale)"
set logscale y
set xrange [7:17]
set yrange [0.001:60]
set format y "%g"
set ytics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
set key bottom left Left reverse spacing 1.4
plot for [i=1:words(layouts)] folder."/model.tsv" every ::1 using 1:i+1 with lines lw 2.5 lc rgb word(colours, i) \
       title word(layouts, i).", expected", \
     for [i=1:words(layouts)] folder."/fpr_".word(layouts, i).".tsv" using 1:2:3:4 with yerrorbars \
       pt int(word(marks, i)) ps 1.5 lw 1.5 lc rgb word(colours, i) title word(layouts, i).", measured (95 % interval)"

unset logscale y
set ytics autofreq
set title "Lookup at 10 bits per key" font "DejaVu Sans,13"
set xlabel "layout"
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
set key top left Left reverse
set xtics scale 0
width = 1.0 / 4
label(v) = v < 10 ? sprintf("%.1f", v) : sprintf("%.0f", v)
plot folder."/ns.tsv" using 2:xtic(1) lc rgb "#7fb7d0" title "single, hash given", \
     "" using 3 lc rgb word(colours, 1) title "batch, hashes given", \
     "" using 4 lc rgb "#b0b0b0" title "batch, words hashed too", \
     "" using ($0 - width):2:(label($2)) with labels offset 0,0.6 font "DejaVu Sans,8" textcolor rgb ink notitle, \
     "" using ($0):3:(label($3)) with labels offset 0,0.6 font "DejaVu Sans,8" textcolor rgb ink notitle, \
     "" using ($0 + width):4:(label($4)) with labels offset 0,0.6 font "DejaVu Sans,8" textcolor rgb ink notitle
unset multiplot
