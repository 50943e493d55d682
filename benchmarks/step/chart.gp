# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# gnuplot -e "data='FILE'; out='FILE.svg'" chart.gp: a bar per policy, and the roof over it.
set terminal svg size 1100,900 font "sans,11"
set output out
set title "Adam step, one large tensor, all threads" noenhanced
set style fill solid 0.8
set boxwidth 0.7
set xlabel "ns per parameter"
set ytics noenhanced
set yrange [-0.5:*] reverse
set key bottom right
set grid x
plot data using (0.5*$2):0:(0.5*$2):(0.35):ytic(1) with boxxyerror lc rgb "#4477aa" title "step", \
     data using 3:0 with points pt 5 ps 0.8 lc rgb "#cc3311" title "roof: memory twin or arithmetic"
