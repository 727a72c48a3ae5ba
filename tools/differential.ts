/** `npm run differential`: random questions to Berth's engine and to the scheduler's own Go code; any difference is printed. */
import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import { checkVector } from './conformance/check-vector.ts'
import { kinds } from './conformance/kinds.ts'
import { parseExactJson } from './conformance/vector.ts'
import { buildOracle } from './differential/build-oracle.ts'
import { startOracle } from './differential/oracle-process.ts'
import { questionMakers, sharesOf } from './differential/questions.ts'
import { createChoices } from './differential/random.ts'
import { vectorLine, writeVectors } from './differential/write-vectors.ts'

const command: CommandDefinition = {
  name: 'npm run differential --',
  summary: "Asks Berth's engine and the scheduler's own Go code the same random questions and prints each difference.",
  flags: [
    {
      name: 'seed',
      placeholder: 'N',
      range: { min: 0, max: Number.MAX_SAFE_INTEGER },
      description: 'First seed. Default: 1. Question i of a kind follows from seed and i alone.',
    },
    {
      name: 'count',
      placeholder: 'N',
      range: { min: 1, max: Number.MAX_SAFE_INTEGER },
      description: 'Number of questions, shared among the kinds. Default: 2000.',
    },
    {
      name: 'kind',
      placeholder: 'KIND',
      isRepeatable: true,
      description: `Only this kind: ${[...questionMakers.keys()].join(', ')}.`,
    },
    {
      name: 'show',
      placeholder: 'N',
      range: { min: 0, max: Number.MAX_SAFE_INTEGER },
      description: 'Number of differences to print per kind. Default: 3.',
    },
    {
      name: 'write',
      placeholder: 'FOLDER',
      description: 'Keep questions and real answers in FOLDER/random-KIND.jsonl.gz, for npm run conformance.',
    },
  ],
  examples: [
    { command: 'npm run differential -- --kind topology --count 10000', description: 'One kind, many questions' },
  ],
  notes: ["Needs Go 1.26: the oracle is built once into the user's cache folder."],
}

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
  const line = commandLineOrExit(command, process.argv.slice(2))
  const kinds = line.texts('kind')
  const selected = kinds.length > 0 ? kinds : [...questionMakers.keys()]
  const options = {
    seed: line.number('seed') ?? 1,
    show: line.number('show') ?? 3,
    binary: buildOracle(),
    folder: line.text('write'),
  }
  let [passed, failed] = [0, 0]
  for (const [kind, count] of sharesOf(line.number('count') ?? 2000, selected)) {
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
  console.error(errorText(error))
  process.exitCode = 2
}
