import { errorText } from '@berth/text/error-text'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parseVector, type Vector } from './vector.ts'

/** Thrown for a file that cannot be read as vectors. The message names the file and the reason. */
export class VectorFileError extends Error {}

function contentOf(path: string): Buffer {
  try {
    const bytes = readFileSync(path)
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    return isGzip ? gunzipSync(bytes) : bytes
  } catch (error) {
    throw new VectorFileError(`read vectors from ${path}: ${errorText(error)}`, { cause: error })
  }
}

/**
 * Reads the vectors of one file, plain or gzipped, whatever its name is.
 *
 * @throws VectorFileError when the file cannot be read or is empty, or when a line is not a vector.
 */
export function readVectors(path: string): readonly Vector[] {
  const lines = contentOf(path).toString('utf8').split('\n')
  const vectors = lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const vector = parseVector(line)
    if (vector !== undefined) return [vector]
    throw new VectorFileError(
      `read vectors from ${path}: line ${index + 1} is not a JSON object with id, kind, input and expected`,
    )
  })
  if (vectors.length === 0) throw new VectorFileError(`read vectors from ${path}: the file is empty`)
  return vectors
}
