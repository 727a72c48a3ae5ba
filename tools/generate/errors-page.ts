import type { Catalogue } from './catalogues.ts'
import { code, markdownTable } from './markdown-table.ts'

/** Returns the text of docs/errors.md. */
export function errorsPage(catalogues: readonly Catalogue[]): string {
  const sections = catalogues
    .filter(({ errors }) => errors.length > 0)
    .map(({ packagePath, errors }) => {
      const rows = errors
        .toSorted((a, b) => (a.code < b.code ? -1 : 1))
        .map((error) => [code(error.code), error.meaning, error.action])
      return `## ${packagePath}\n\n${markdownTable(['code', 'when', 'what to do'], rows)}`
    })
  return `${[
    '# Errors',
    'Written by `tools/generate.ts` from the catalogues in the code. Every message ends with its code; this page says what it means.',
    ...sections,
  ].join('\n\n')}\n`
}
