/** `npm run differential`: random questions to Berth's engine and to the scheduler's own Go code; any difference is printed. */
import { errorText } from '@berth/text/error-text'
import { parseArgs } from 'node:util'
import { checkVector } from './conformance/check-vector.ts'
import { kinds } from './conformance/kinds.ts'
import { parseExactJson } from './conformance/vector.ts'
import { buildOracle } from './differential/build-oracle.ts'
import { startOracle } from './differential/oracle-process.ts'
import { questionMakers, sharesOf } from './differential/questions.ts'
import { createChoices } from './differential/random.ts'
import { vectorLine, writeVectors } from './differential/write-vectors.ts'

const usage = `Usage: npm run differential -- [--seed N] [--count N] [--kind KIND]... [--show N] [--write FOLDER]

  --seed N     first seed (default 1); question i of a kind follows from seed and i alone
  --count N    questions in all (default 2000), shared among the kinds
  --kind KIND  only this kind: ${[...questionMakers.keys()].join(', ')}
  --show N     how many differences to print per kind (default 3)
  --write FOLDER
               keep questions and the real answers in FOLDER/random-KIND.jsonl.gz, for npm run conformance

Needs Go 1.26: the oracle is built once into the user's cache folder.
`

const batchSize = 64

interface Totals {
  passed: number
  failed: number
  /** The oracle itself gave up: see {@link isNoAnswer}. */
  unanswered: number
}

/** The oracle refuses to write down scores that wrapped around int64; nothing of kube-scheduler's is in such an answer. */
function isNoAnswer(answer: string | undefined): boolean {
  return answer !== undefined && /"panic":"score -?\d+ out of any sensible range"/.test(answer)
}

async function runKind(
  kind: string,
  count: number,
  options: { seed: number; show: number; binary: string; folder: string | undefined },
): Promise<Totals> {
  const maker = questionMakers.get(kind)
  if (maker === undefined) throw new Error(`no such kind: ${kind}`)
  const totals = { passed: 0, failed: 0, unanswered: 0 }
  const lines: string[] = []
  await using oracle = startOracle(options.binary, kind)
  for (let first = 0; first < count; first += batchSize) {
    const size = Math.min(batchSize, count - first)
    const questions = Array.from({ length: size }, (_, i) =>
      maker.make(createChoices(options.seed * 1_000_003 + first + i)),
    )
    const answers = await Promise.all(questions.map(async (question) => await oracle.ask(question)))
    for (const [i, question] of questions.entries()) {
      if (isNoAnswer(answers[i])) {
        totals.unanswered++
        continue
      }
      const id = `${kind}-seed-${options.seed}-${first + i}`
      if (options.folder !== undefined) lines.push(vectorLine({ id, kind, question, answer: answers[i] ?? 'null' }))
      const input = parseExactJson(JSON.stringify(question))
      const result = checkVector({ id, kind, input, expected: parseExactJson(answers[i] ?? 'null') }, kinds)
      if (result.kind === 'passed') totals.passed++
      else if (++totals.failed <= options.show) {
        console.log(`${id} differs\n${result.report}\n  question ${JSON.stringify(question)}`)
      }
    }
  }
  if (options.folder !== undefined) writeVectors(options.folder, kind, lines)
  return totals
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '2000' },
      show: { type: 'string', default: '3' },
      kind: { type: 'string', multiple: true },
      write: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const selected = values.kind ?? [...questionMakers.keys()]
  const options = {
    seed: Number(values.seed),
    show: Number(values.show),
    binary: buildOracle(),
    folder: values.write,
  }
  let [passed, failed] = [0, 0]
  for (const [kind, count] of sharesOf(Number(values.count), selected)) {
    const startMs = performance.now()
    const totals = await runKind(kind, count, options)
    passed += totals.passed
    failed += totals.failed
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
    const silent = totals.unanswered === 0 ? '' : `, ${totals.unanswered} that the oracle gave up on`
    console.log(
      `${kind}: ${totals.passed} the same, ${totals.failed} different${silent} (seed ${options.seed}, ${seconds} s)`,
    )
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${errorText(error)}\n\n${usage}`)
  process.exitCode = 2
}
