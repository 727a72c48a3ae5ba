import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

/** Imports one sub-path in a process of its own and prints the libraries that its modules asked for. */
const probe = (subPath: string) => `
import { registerHooks } from 'node:module'
const libraries = new Set()
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isOurs = context.parentURL?.includes('/node_modules/') === false
    if (isOurs && !/^(?:node:|file:|[./]|@berth\\/)/.test(specifier)) libraries.add(specifier)
    return nextResolve(specifier, context)
  },
})
await import('@berth/process/${subPath}')
process.stdout.write(JSON.stringify([...libraries].toSorted()))
`

describe('a program loads no more of @berth/process than it uses', () => {
  test.for([
    { subPath: 'command', libraries: ['fastest-levenshtein'] },
    { subPath: 'config', libraries: ['fastest-levenshtein', 'yaml', 'zod'] },
    { subPath: 'log', libraries: ['pino'] },
    { subPath: 'metrics', libraries: ['prom-client'] },
    { subPath: 'health', libraries: [] },
    { subPath: 'shutdown', libraries: [] },
    { subPath: 'errors', libraries: [] },
  ])('$subPath needs $libraries', async ({ subPath, libraries }) => {
    const { stdout } = await promisify(execFile)(
      'node',
      ['-C', '@berth/source', '--input-type=module', '-e', probe(subPath)],
      { cwd: fileURLToPath(new URL('..', import.meta.url)) },
    )
    expect(JSON.parse(stdout)).toEqual(libraries)
  })
})
