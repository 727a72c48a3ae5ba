import nodeModule from 'node:module'
import { pathToFileURL } from 'node:url'
import * as types from '@berth/types'
import * as zod from 'zod'
import * as contract from '../run-time-exports.ts'

const hosted: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '@berth/plugin-api': contract,
  '@berth/types': types,
  zod,
}
const scheme = 'berth-host:'
const globalKey = Symbol.for('berth.hosted-modules')

/**
 * Lets modules under the given directories import `@berth/plugin-api`, `@berth/types` and `zod` from this program. Apps
 * are bundled into one file, so there is no node_modules directory in which a plugin could find them. A zod that the
 * plugin brings takes precedence.
 *
 * @param roots - Real paths.
 * @returns A function that stops providing the modules. Plugins that are already loaded keep their imports.
 */
export function hostModules(roots: readonly string[]): () => void {
  const rootUrls = roots.map((root) => `${pathToFileURL(root).href}/`)
  const isPlugin = (parent: string | undefined): boolean => rootUrls.some((root) => parent?.startsWith(root) === true)
  Reflect.set(globalThis, globalKey, hosted)
  // Not a named import: an older Node would fail at the import, before the program can say which Node it needs.
  const hooks = nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!isPlugin(context.parentURL) || !Object.hasOwn(hosted, specifier)) return nextResolve(specifier, context)
      const own = { url: `${scheme}${specifier}`, format: 'module', shortCircuit: true }
      if (specifier !== 'zod') return own
      try {
        return nextResolve(specifier, context)
      } catch {
        return own
      }
    },
    load(url, context, nextLoad) {
      if (!url.startsWith(scheme)) return nextLoad(url, context)
      return { format: 'module', shortCircuit: true, source: sourceOf(url.slice(scheme.length)) }
    },
  })
  return () => {
    hooks.deregister()
    Reflect.deleteProperty(globalThis, globalKey)
  }
}

function sourceOf(specifier: string): string {
  const names = Object.keys(hosted[specifier] ?? {}).filter((name) => name !== 'default')
  return [
    `const host = globalThis[Symbol.for('berth.hosted-modules')][${JSON.stringify(specifier)}]`,
    // zod exports names such as "catch", which are not valid identifiers.
    ...names.map(
      (name, index) =>
        `const v${index} = host[${JSON.stringify(name)}]\nexport { v${index} as ${JSON.stringify(name)} }`,
    ),
    'export default host.default',
  ].join('\n')
}
