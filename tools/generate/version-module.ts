import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** packages/process/src/version.ts: what --version prints, from the root package.json. */
export function versionModule(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  return [
    '// Written by tools/generate.ts from the root package.json.',
    '/** The version of Berth that this code belongs to. */',
    `export const version = '${version}'`,
    '',
  ].join('\n')
}
