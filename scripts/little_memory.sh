#!/usr/bin/env bash
# Runs every command under limits on the address space from 50 MB to 1 GB, with 1, 2 and 8 threads. Each run has to end
# within a minute, with success or with exit code 6 and one sentence:  scripts/little_memory.sh [COMMAND]
# One word a run: ok, 6, or what went wrong.
set -uo pipefail
cd "$(dirname "$0")/.."
command=$(realpath "${1:-build/credence}")
limits=${LIMITS:-50 60 80 100 150 200 300 400 600 800 1000}
counts=${THREADS:-1 2 8}
data=$PWD/data/breast_cancer.csv
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# What the runs need: 208 rows, targets, models, scores.
{ head -n 1 "$data" && tail -n +2 "$data" | head -n 208; } >rows.csv
{ echo "x,z,y" && awk 'BEGIN { OFS = ","; for (i = 0; i < 150; ++i) print i / 15, i % 7, sin(i / 15) + (i * 37 % 11) / 50 }'; } >curve.csv
{ echo "prediction,target" && awk 'BEGIN { OFS = ","; for (i = 0; i < 150; ++i) print i / 15, i / 15 + (i * 37 % 11) / 50 }'; } >old.csv
cp old.csv new.csv
{ echo "a,b,label" && awk 'BEGIN { OFS = ","; for (i = 0; i < 150; ++i) print i % 10 / 10, 1 - i % 10 / 10, i % 3 ? "a" : "b" }'; } >kept.csv
cp kept.csv new_scores.csv
grid=(--C 1,8 --gamma 0.01,0.1 --quiet)
"$command" select rows.csv "${grid[@]}" -o svm.credence
"$command" select rows.csv "${grid[@]}" --method nonconformity -o kept.credence
"$command" train rows.csv --model rvm --quiet -o rvm.credence
"$command" train curve.csv --task regression --sigma 1 --label y --quiet -o curve.credence
"$command" conformal fit rows.csv --quiet -o conformal.credence
"$command" convert svm.credence svm.libsvm

runs=(
  "--version" "--version --verbose" "--help" "select --help" "reproduce --help"
  "select rows.csv" "select rows.csv ${grid[*]} -o out" "select rows.csv ${grid[*]} --estimate nested"
  "select rows.csv --sigma 1,3 --method kernel-validity" "select rows.csv --sigma 1,3 --method evidence"
  "select rows.csv --model rvm --method cv --sigma 1,3"
  "select curve.csv --label y --task regression --sigma 1,3"
  "train rows.csv -o out" "train rows.csv --model rvm -o out" "train rows.csv --nu 0.2 -o out"
  "train curve.csv --task regression --label y --sigma 1 -o out"
  "predict svm.credence rows.csv -o out" "predict rvm.credence rows.csv -o out" "predict curve.credence curve.csv -o out"
  "predict kept.credence rows.csv -o out" "predict conformal.credence rows.csv -o out"
  "evaluate svm.credence rows.csv" "evaluate rvm.credence rows.csv" "evaluate kept.credence rows.csv"
  "compare rows.csv ${grid[*]} --methods cv,loo"
  "conformal fit rows.csv -o out" "conformal fit rows.csv --measure margin -o out" "conformal fit rows.csv --measure margin --mode inductive --model rvm -o out" "conformal online rows.csv"
  "conformal intervals old.csv new.csv -o out" "conformal scores kept.csv new_scores.csv -o out"
  "bound --errors 5 --n 200" "convert svm.credence svm.libsvm" "convert svm.libsvm out.credence"
  "convert rows.csv out.svm.gz" "demo"
)
for method in $("$command" select --help | sed -n '/^Methods:/,/^Examples:/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
  runs+=("select rows.csv ${grid[*]} --method $method")
done

failures=0
for run in "${runs[@]}"; do
  line=""
  for limit in $limits; do
    for count in $counts; do
      threads=(--threads "$count")
      case $run in *help* | *version* | bound* | convert* | demo* | *intervals* | *scores*) ((count > 1)) && continue; threads=() ;; esac
      # shellcheck disable=SC2086
      (ulimit -v $((limit * 1000)) && exec timeout -s KILL 60 "$command" $run "${threads[@]}") >stdout 2>stderr </dev/null
      code=$?
      sentences=$(grep -cv '^credence: \(note\|warning\): ' stderr)
      case $code:$sentences in
        0:0) line+=" ok" ;;
        6:1) line+=" 6" ;;
        *) line+=" [$limit MB, $count threads: code $code, $sentences lines: $(grep -v '^credence: \(note\|warning\): ' stderr | tail -n 1 | cut -c1-200)]" && ((++failures)) ;;
      esac
    done
  done
  echo "${run% --quiet}:$line"
done
echo "$failures failures"
((failures == 0))
