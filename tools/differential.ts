/** `npm run differential`: compares Berth's engine with kube-scheduler's Go code on random questions and prints differences. */
import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import { checkVector } from './conformance/check-vector.ts'
import { kinds } from './conformance/vector-kinds.ts'
import { parseExactJson } from './conformance/vector.ts'
import { buildOracle } from './differential/build-oracle.ts'
import { startOracle } from './differential/oracle-process.ts'
import { questionMakers, countsByKind } from './differential/questions.ts'
import { createChoices } from './differential/random.ts'
import { runSchedulersCommand } from './differential/schedulers/schedulers-command.ts'
import { formatVector, writeVectors } from './differential/write-vectors.ts'

const command: CommandDefinition = {
  name: 'npm run differential --',
  summary: "Compares Berth's engine with kube-scheduler's Go code on random questions and prints each difference.",
  flags: [
    {
      name: 'seed',
      placeholder: 'N',
      range: { min: 0, max: Number.MAX_SAFE_INTEGER },
      description: 'Seed. Default: 1. Question i of a kind depends only on the seed and i.',
    },
    {
      name: 'count',
      placeholder: 'N',
      range: { min: 1, max: Number.MAX_SAFE_INTEGER },
      description: 'Total number of questions, distributed over the kinds. Default: 2000.',
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
      description:
        "Write questions and kube-scheduler's answers to FOLDER/random-KIND.jsonl.gz, for npm run conformance.",
    },
  ],
  examples: [
    { command: 'npm run differential -- --kind topology --count 10000', description: 'One kind, many questions' },
  ],
  notes: [
    '`npm run differential -- schedulers` compares whole schedulers: see its --help.',
    "Requires Go 1.26. The oracle is built once, into the user's cache folder.",
  ],
}

const batchSize = 64

interface Totals {
  passed: number
  failed: number
  /** Questions without an answer, see {@link isOracleRefusal}. */
  refused: number
}

/** Returns whether the oracle refused to answer because a score wrapped around int64. */
function isOracleRefusal(answer: string | undefined): boolean {
  return answer !== undefined && /"panic":"score -?\d+ out of any sensible range"/.test(answer)
}

async function runKind(
  kind: string,
  count: number,
  options: { seed: number; show: number; binary: string; folder: string | undefined },
): Promise<Totals> {
  const maker = questionMakers.get(kind)
  if (maker === undefined) throw new Error(`unknown kind: ${kind}`)
  const totals = { passed: 0, failed: 0, refused: 0 }
  const lines: string[] = []
  await using oracle = startOracle(options.binary, kind)
  for (let first = 0; first < count; first += batchSize) {
    const size = Math.min(batchSize, count - first)
    const questions = Array.from({ length: size }, (_, i) =>
      maker.make(createChoices(options.seed * 1_000_003 + first + i)),
    )
    const answers = await Promise.all(questions.map(async (question) => await oracle.ask(question)))
    for (const [i, question] of questions.entries()) {
      if (isOracleRefusal(answers[i])) {
        totals.refused++
        continue
      }
      const id = `${kind}-seed-${options.seed}-${first + i}`
      if (options.folder !== undefined) lines.push(formatVector({ id, kind, question, answer: answers[i] ?? 'null' }))
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
  for (const [kind, count] of countsByKind(line.number('count') ?? 2000, selected)) {
    const startMs = performance.now()
    const totals = await runKind(kind, count, options)
    passed += totals.passed
    failed += totals.failed
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
    const refused = totals.refused === 0 ? '' : `, ${totals.refused} refused by the oracle`
    console.log(
      `${kind}: ${totals.passed} equal, ${totals.failed} different${refused} (seed ${options.seed}, ${seconds} s)`,
    )
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

const [subcommand, ...rest] = process.argv.slice(2)
try {
  process.exitCode = subcommand === 'schedulers' ? await runSchedulersCommand(rest) : await main()
} catch (error) {
  console.error(errorText(error))
  process.exitCode = 2
}
