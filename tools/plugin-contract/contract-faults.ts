import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inScratchFolder } from './emit-declarations.ts'

/**
 * Functions whose result the host or a kit calls, so that it may be wider than before: more hooks, or hooks that read more
 * of their context.
 */
const makers = /^(?:define\w+|perNode|createHooks)$/

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  module: 'nodenext',
  target: 'esnext',
  lib: ['esnext'],
  types: ['node'],
}

/**
 * Type-checks code written against a recorded contract against another one. What a plugin gives to the host must be
 * accepted as before, and what the host gives to a plugin must still have everything that it had. Additions pass: an
 * optional hook, a field of what the host gives.
 *
 * @param recorded - Text of {@link flatContract}.
 * @param current - Text of {@link flatContract}.
 * @returns One message per broken promise; empty when every plugin still compiles and runs.
 */
export function contractFaults(root: string, recorded: string, current: string): readonly string[] {
  const checks = checksFor(recorded, current)
  return inScratchFolder(root, (dir) => {
    writeFileSync(join(dir, 'recorded.ts'), strictMethods(withAllTypesExported(recorded)))
    writeFileSync(join(dir, 'current.ts'), strictMethods(withAllTypesExported(current)))
    writeFileSync(join(dir, 'public.ts'), current)
    writeFileSync(join(dir, 'check.ts'), checks.map(({ code }) => `${code}\n`).join(''))
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(tsc, ['-p', dir, '--pretty', 'false'], { encoding: 'utf8', cwd: dir })
    return stdout.split(/^(?=\S)/m).flatMap((message) => {
      const [, file = '', line = '', reason = ''] = /^(\w+\.ts)\((\d+),\d+\): error \w+: ([^]*)$/.exec(message) ?? []
      if (file === '') return message.trim() === '' ? [] : [message.trim()]
      const what = file === 'check.ts' ? checks[Number(line) - 1]?.promise : `${file}:${line}`
      return [`${what}: ${reason.trim().replaceAll(/import\("[^"]*\/(recorded|current)"\)/g, '$1')}`]
    })
  })
}

/**
 * The paths of all members down to the third level, such as `spec.resources.requests`. Methods and index signatures have
 * none: an index signature would accept every path.
 */
const memberPaths = `type Paths<T, D extends 0[] = []> = D['length'] extends 3 ? never
  : T extends (...args: never) => unknown ? never
  : T extends readonly (infer E)[] ? Paths<E, D>
  : T extends object ? { [K in keyof T as string extends K ? never : K]:
      (K & string) | \`\${K & string}.\${Paths<NonNullable<T[K]>, [...D, 0]>}\` } extends infer M ? M[keyof M] : never
  : never`.replaceAll(/\n */g, ' ')

interface Check {
  /** One line. */
  readonly code: string
  readonly promise: string
}

/** Exports the types that a plugin reaches only through others, such as `PodSpec`, so that checks can name them. */
function withAllTypesExported(text: string): string {
  return text.replaceAll(/^(?=(?:interface|type) )/gm, 'export ')
}

function checksFor(recorded: string, current: string): readonly Check[] {
  const named = (pattern: RegExp, text = recorded): readonly string[] => [
    ...new Set(text.matchAll(pattern).map(([, name = '']) => name)),
  ]
  const functions = named(/^export declare function (\w+)/gm)
  const constants = named(/^export declare const (\w+)/gm)
  const classes = named(/^export declare class (\w+)/gm)
  const types = named(/^export (?:interface|type) (\w+)/gm)
  const plugins = types.filter((name) => /^(?:Scheduling|DeviceSource|ResourceSource)Plugin$/.test(name))
  // A type without parameters, or with a default for each. One that is not exported may get another name.
  const plainType = /^(?:export )?(?:interface|type) (\w+)(?:<\w+ = \w+>)? /gm
  const kept = new Set([...types, ...named(plainType, current)])
  const plain = named(plainType).filter((name) => kept.has(name))
  const accepts = (to: string, from: string, promise: string): Check => ({
    code: `accept<${to}>(null! as ${from})`,
    promise,
  })
  return [
    { code: "import * as Old from './recorded.ts'", promise: 'the recorded contract compiles' },
    { code: "import * as New from './current.ts'", promise: 'the current contract compiles' },
    { code: 'declare function accept<T>(value: T): void', promise: '' },
    { code: memberPaths, promise: '' },
    ...types.map((name) => ({
      code: `import type { ${name} as ${name}_ } from './public.ts'`,
      promise: `type ${name}`,
    })),
    // A removed optional member would be accepted and ignored.
    ...plain.map((name) => accepts(`Paths<New.${name}>`, `Paths<Old.${name}>`, `members of ${name}`)),
    ...plugins.map((name) => accepts(`New.${name}`, `Old.${name}`, `a built ${name}`)),
    ...functions.flatMap((name) => [
      accepts(`Parameters<typeof New.${name}>`, `Parameters<typeof Old.${name}>`, `arguments of ${name}`),
      ...(makers.test(name)
        ? []
        : [accepts(`ReturnType<typeof Old.${name}>`, `ReturnType<typeof New.${name}>`, `result of ${name}`)]),
    ]),
    ...constants.map((name) => accepts(`typeof Old.${name}`, `typeof New.${name}`, `constant ${name}`)),
    ...classes.flatMap((name) => [
      accepts(
        `ConstructorParameters<typeof New.${name}>`,
        `ConstructorParameters<typeof Old.${name}>`,
        `arguments of new ${name}`,
      ),
      accepts(`Old.${name}`, `New.${name}`, `a ${name}`),
    ]),
  ]
}

/**
 * Writes the methods of interfaces as properties: `run(a: A): B` becomes `run: (a: A) => B`. TypeScript compares the
 * parameters of methods in both directions and accepts either, so a removed field of an argument would pass.
 */
function strictMethods(text: string): string {
  return text.replaceAll(/^(?:export )?interface [^]*?^\}$/gm, (declaration) => {
    let result = declaration
    for (const { index } of [...declaration.matchAll(/^ {4}\w+\??[<(]/gm)].toReversed()) {
      const start = index + (/^ {4}\w+\??/.exec(result.slice(index))?.[0].length ?? 0)
      const end = endOfParameters(result, start)
      result = `${result.slice(0, start)}: ${result.slice(start, end)} =>${result.slice(end + 1)}`
    }
    return result
  })
}

/** Returns the index after the parameter list that begins at `start`, behind type parameters if there are any. */
function endOfParameters(text: string, start: number): number {
  let depth = 0
  for (let i = text.indexOf('(', start); i < text.length; i++) {
    if (text[i] === '(') depth++
    else if (text[i] === ')' && --depth === 0) return i + 1
  }
  throw new Error(`no end of the parameters in ${text.slice(start, start + 80)}`)
}
