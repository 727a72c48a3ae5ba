import { checkVector } from './conformance/check-vector.ts'
import { kinds } from './conformance/kinds.ts'
import { VectorFileError, readVectors } from './conformance/read-vectors.ts'

const USAGE = 'usage: npm run conformance -- FILE...   (vectors, one JSON object a line, plain or gzipped)'

/** Runs Berth's own functions on vectors and prints each answer that differs. */
function main(paths: readonly string[]): number {
  if (paths.length === 0) {
    console.error(USAGE)
    return 2
  }
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

process.exitCode = main(process.argv.slice(2))
