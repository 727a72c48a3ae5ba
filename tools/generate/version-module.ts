import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the text of packages/process/src/version.ts: the version of the root package.json, which --version prints. */
export function versionModule(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  return [
    '// Written by tools/generate.ts from the root package.json.',
    '/** The version of Berth that this code belongs to. */',
    `export const version = '${version}'`,
    '',
  ].join('\n')
}
