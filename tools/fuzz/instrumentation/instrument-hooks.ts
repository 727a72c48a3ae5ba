import { createInstrumenter } from 'istanbul-lib-instrument'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashOf } from '../target/corpus.ts'
import { COVERAGE_VARIABLE } from './coverage-counters.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const cacheFolder = join(root, '.berth/fuzz/instrumented')
const CACHE_VERSION = 1

const literals = new Set<string>()

/** Returns the short string literals of the files that were instrumented so far: words that their parsers may expect. */
export function sourceLiterals(): readonly string[] {
  return [...literals]
}

/** Instruments the sources of packages, apps and plugins that this thread imports from now on. */
export function instrumentImports(): void {
  mkdirSync(cacheFolder, { recursive: true })
  registerHooks({
    load(url, context, nextLoad) {
      if (!isInstrumented(url)) return nextLoad(url, context)
      const path = fileURLToPath(url)
      const source = readFileSync(path, 'utf8')
      for (const [, text] of source.matchAll(/'([^'\n\\]{1,24})'/g)) if (text !== undefined) literals.add(text)
      return { format: 'module', shortCircuit: true, source: instrumented(path, source) }
    },
  })
}

function isInstrumented(url: string): boolean {
  const path = url.startsWith('file:') ? fileURLToPath(url).slice(root.length) : ''
  return /^(?:packages|apps|plugins)\/[^/]+\/src\/(?!.*\bgen\/).*\.ts$|^tools\/fuzz\/test\/planted\/.*\.ts$/.test(path)
}

/** Returns the instrumented module, from the cache if it was made before. */
function instrumented(path: string, source: string): string {
  const cached = join(cacheFolder, `${hashOf(Buffer.from(`${CACHE_VERSION} ${path} ${source}`))}.mjs`)
  try {
    return readFileSync(cached, 'utf8')
  } catch {
    const instrumenter = createInstrumenter({
      coverageVariable: COVERAGE_VARIABLE,
      esModules: true,
      compact: false,
      parserPlugins: ['explicitResourceManagement', 'topLevelAwait', 'importAttributes'],
    })
    const code = instrumenter.instrumentSync(stripTypeScriptTypes(source), path)
    // Several threads may write the same file.
    const unfinished = `${cached}.${process.pid}.${Math.trunc(performance.now() * 1_000)}`
    writeFileSync(unfinished, code)
    renameSync(unfinished, cached)
    return code
  }
}
