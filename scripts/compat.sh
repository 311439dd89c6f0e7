#!/usr/bin/env bash
# Writes files of every kind with a command, for tests/cli/compat.cpp, which holds later versions to them:
#   scripts/compat.sh COMMAND FOLDER          such as  build/credence tests/data/compat/0.1
# FOLDER must be new: what a release wrote is never written again.
set -euo pipefail
command=$(realpath "$1")
source=$(realpath "$(dirname "$0")/../data/breast_cancer.csv")
[[ ! -e $2 ]] || { echo "compat.sh: $2 is there already" >&2; exit 2; }
mkdir -p "$2"
cd "$2"

# Three columns, each of 90 and 30 rows; the regression has the mean radius as its target.
columns() { cut -d, -f"$1" "$source" | tr -d '\r'; }
paste -d, <(columns 2) <(columns 5) <(columns 8) <(columns 31) | sed -n 1,121p >all.csv
{ sed -n 1p all.csv; sed -n 2,91p all.csv; } >rows.csv
{ sed -n 1p all.csv; sed -n 92,121p all.csv; } >new.csv
paste -d, <(columns 2) <(columns 5) <(columns 8) <(columns 1) | sed -n 1,91p >numbers.csv
rm all.csv

run() { "$command" "$@" --quiet --seed 7 --threads 1; }
grid=(--C 1,8 --gamma 0.5,2)
one_svm=(--scale standard --rule best)
mkdir models plans results predictions

run train rows.csv --C 4 --gamma 0.5 --folds 5 -o models/svm.credence
run train rows.csv --model rvm --sigma 2 -o models/rvm.credence
run train numbers.csv --task regression --model rvm --sigma 2 -o models/regression.credence
run train rows.csv --region-size 40 --C 4 --gamma 0.5 -o models/regions.credence
run select rows.csv --method nonconformity "${grid[@]}" -o models/family.credence --json results/nonconformity.json
run select rows.csv --method kfold-nested "${grid[@]}" -o models/random.credence --json results/kfold-nested.json
run select rows.csv "${grid[@]}" "${one_svm[@]}" -o models/cv.credence --json results/cv.json
run select rows.csv "${grid[@]}" --kernel rbf,laplacian -o models/average.credence --json results/average.json
run select rows.csv --model knn --method holdout --k 1,3,5 -o models/knn.credence --json results/knn.json
run select rows.csv --method kernel-validity --sigma 1,2 -o models/kernel-validity.credence --json results/kernel-validity.json
run conformal fit rows.csv -o models/transductive.credence --json results/conformal-fit.json
run conformal fit rows.csv --measure margin --mode inductive --C 4 --gamma 0.5 -o models/inductive.credence
run conformal online rows.csv --json results/conformal-online.json >/dev/null
printf 'target,prediction\n1,1\n2,3\n4,4\n5,7\n1,0\n2,2.5\n3,2\n4,4.5\n6,5\n' >kept.csv
printf 'target,prediction\n1,2\n2,2\n5,4\n' >later.csv
"$command" conformal intervals kept.csv later.csv --quiet --confidence-level 0.8 -o intervals.csv --json results/conformal-intervals.json
rm intervals.csv
run compare rows.csv --methods cv,nonconformity "${grid[@]}" "${one_svm[@]}" --outer-folds 3 --json results/compare.json
run evaluate models/cv.credence new.csv --json results/evaluate.json

for model in models/*.credence; do
  name=$(basename "$model" .credence)
  "$command" predict "$model" new.csv --quiet --threads 1 -o "predictions/$name.csv"
done
# The block `options` of each selection is its plan.
for result in results/{nonconformity,kfold-nested,cv,average,knn,kernel-validity}.json; do
  python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["options"], indent=1))' <"$result" >"plans/$(basename "$result")"
done

