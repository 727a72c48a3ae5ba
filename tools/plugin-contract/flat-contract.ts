import { emitDeclarations } from './emit-declarations.ts'

/** Host-side parts of `@berth/plugin-api`: contributors do not write against them. */
const hostSide = /from '\.\/(?:hosting|loading|errors|contract\/berth-plugin)\b/

/** One top-level declaration, as the compiler prints it. */
interface Declaration {
  readonly name: string
  readonly file: string
  readonly text: string
}

/**
 * Returns the public contract of contributed plugins as one declaration file without comments: what they import from
 * `@berth/plugin-api` and `@berth/plugin-api/testing`, and every type that those use.
 *
 * @throws Error when two files declare the same name.
 */
export function flatContract(root: string): string {
  const files = emitDeclarations(root)
  const declarations = [...files].flatMap(([file, text]) => declarationsOf(file, text))
  const byName = Map.groupBy(declarations, ({ name }) => name)
  const roots = ['index', 'testing'].flatMap((entry) => exportedNames(files.get(`plugin-api/src/${entry}.d.ts`) ?? ''))
  const reached = new Set<string>()
  const waiting = roots.filter((name) => byName.has(name))
  const exported = new Set(waiting)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue
    reached.add(name)
    const same = byName.get(name) ?? []
    if (new Set(same.map(({ file }) => file)).size > 1) throw new Error(`${name} is declared in several files`)
    for (const { text } of same) waiting.push(...(text.match(/\w+/g) ?? []).filter((word) => byName.has(word)))
  }
  const texts = declarations
    .filter(({ name }) => reached.has(name))
    .map(({ name, text }) => (exported.has(name) ? `export ${text}` : text))
  return `import type { z } from 'zod';\n${texts.join('')}`
}

/** Splits a file at the lines that begin a declaration. Drops imports and re-exports. */
function declarationsOf(file: string, text: string): readonly Declaration[] {
  return text.split(/^(?=export |declare |import |type |interface )/m).flatMap((statement) => {
    const body = statement.replace(/^export (?=declare |type \w|interface )/, '')
    const name = /^(?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/.exec(body)?.[1]
    return name === undefined ? [] : { name, file, text: body }
  })
}

/** Returns the names that a file exports from other files, except host-side ones. */
function exportedNames(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const list = /^export (?:type )?\{ (.*?),? \} from/.exec(line)?.[1]
    return list === undefined || hostSide.test(line) ? [] : list.split(', ').map((name) => name.replace('type ', ''))
  })
}
