import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { checkVector } from './conformance/check-vector.ts'
import { kinds } from './conformance/vector-kinds.ts'
import { VectorFileError, readVectors } from './conformance/read-vectors.ts'

const command: CommandDefinition = {
  name: 'npm run conformance --',
  summary: "Computes Berth's answers to recorded questions and prints each one that differs from kube-scheduler's.",
  arguments: [
    {
      name: 'FILE',
      description: 'Vectors, one JSON object per line, plain or gzipped.',
      isRequired: true,
      isRepeatable: true,
    },
  ],
  flags: [],
  examples: [
    {
      command: 'npm run conformance -- tools/conformance/fixtures/random-fit.jsonl.gz',
      description: 'One file of vectors',
    },
  ],
}

/** Evaluates vectors with Berth's functions and prints each result that differs from the expected one. */
function main(paths: readonly string[]): number {
  try {
    const results = paths.flatMap(readVectors).map((vector) => checkVector(vector, kinds))
    for (const result of results) if (result.kind === 'failed') console.log(`${result.id} differs\n${result.report}`)
    const failed = results.filter(({ kind }) => kind === 'failed').length
    console.log(`${results.length - failed} passed, ${failed} failed`)
    return failed === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof VectorFileError)) throw error
    console.error(error.message)
    return 2
  }
}

process.exitCode = main(commandLineOrExit(command, process.argv.slice(2)).words)
