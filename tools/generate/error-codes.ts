import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const literal = /'(?<code>BERTH_[A-Z0-9]+(?:_[A-Z0-9]+)+)'/g
const catalogueText = /export const \w+Errors\b[\s\S]*?\n\]/g

/** Returns the error codes in a module's text, except those that only its catalogue describes. */
export function errorCodes(text: string): readonly string[] {
  return [...text.replaceAll(catalogueText, '').matchAll(literal)].map(({ groups }) => groups?.['code'] ?? '')
}

/** Returns the source files that use each error code, except tests and generated code. */
export function usedErrorCodes(root: string): ReadonlyMap<string, readonly string[]> {
  const files = globSync('{apps,packages,plugins}/*/src/**/*.ts', { cwd: root }).toSorted()
  const byCode = new Map<string, string[]>()
  for (const file of files) {
    if (/\.(?:test|bench)\.ts$|\/gen\//.test(file)) continue
    for (const code of errorCodes(readFileSync(join(root, file), 'utf8'))) {
      byCode.set(code, [...(byCode.get(code) ?? []), file])
    }
  }
  return byCode
}
