import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildGoProgram } from '../../go/build-go-program.ts'
import { runProgram } from '../run-program.ts'
import { ReleaseError } from '../step.ts'
import { readCodeSignature, type CodeSignature } from './code-signature.ts'

const module = join(import.meta.dirname, '..', 'modules', 'quill')

/**
 * Signs a macOS executable ad hoc: with hashes and without a certificate. Apple silicon refuses to run an unsigned one.
 * Works on every platform.
 *
 * @throws ReleaseError if the written signature does not cover the file.
 */
export async function signForMacos(path: string, identifier: string): Promise<CodeSignature> {
  const quill = buildGoProgram({
    name: 'quill',
    module,
    package: 'github.com/anchore/quill/cmd/quill',
    files: ['go.mod', 'go.sum'],
    flags: ['-ldflags', '-s -w'],
  })
  await runProgram(quill, ['sign', '--quiet', '--ad-hoc', '--identity', identifier, path])
  const signature = readCodeSignature(await readFile(path))
  const problems = signature?.problems ?? ['it is not signed']
  if (signature === undefined || problems.length > 0) throw new ReleaseError(`sign ${path}: ${problems.join('; ')}`)
  return signature
}
