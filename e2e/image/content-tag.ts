import { createHash } from 'node:crypto'

/** A file of an image. */
export interface ImageInput {
  readonly name: string
  readonly bytes: Uint8Array | string
}

/** Returns the tag of an image that is built from these inputs only. Their order does not matter. */
export function contentTag(repository: string, inputs: readonly ImageInput[]): string {
  const hash = createHash('sha256')
  for (const { name, bytes } of inputs.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(`${name}\n${bytes.length}\n`).update(bytes)
  }
  return `${repository}:${hash.digest('hex').slice(0, 12)}`
}
