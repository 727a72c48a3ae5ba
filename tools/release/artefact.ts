import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A file of a release. */
export interface Artefact {
  /** Name of the file in the folder of the release. */
  readonly file: string
  readonly bytes: number
  /** SHA-256 as hexadecimal digits. */
  readonly sha256: string
  /** A fact that the table shows: the digest of an image, or the platform of an executable. */
  readonly note: string
  /** False for a signature: it contains the time at which it was made. */
  readonly isReproducible: boolean
}

/** Measures a file of a release. */
export async function artefactOf(
  path: string,
  { note = '', isReproducible = true }: Partial<Pick<Artefact, 'note' | 'isReproducible'>> = {},
): Promise<Artefact> {
  return { file: basename(path), bytes: (await stat(path)).size, sha256: await sha256Of(path), note, isReproducible }
}

/** Returns the SHA-256 of a file as hexadecimal digits. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
