import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the version that a checkout releases. */
export function releasedVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  return version
}
