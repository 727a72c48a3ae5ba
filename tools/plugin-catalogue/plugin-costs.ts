import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BerthPlugin } from '@berth/plugin-api'

/** The recorded output of `npm run bench -- plugins`, one measurement per line. */
export const COSTS_FILE = 'bench/plugins/costs.jsonl'
/** The benchmark's case without any plugin: what the engine itself takes. */
export const NO_PLUGIN = 'no plugin'

/** Returns the name of the benchmark's case for a plugin. */
export function costCase({ kind, name }: Pick<BerthPlugin, 'kind' | 'name'>): string {
  return `${kind} ${name}`
}

/** Reads the recorded costs: name of the case -> the fastest sample in microseconds, which other load affects least. */
export function readPluginCosts(root: string): ReadonlyMap<string, number> {
  const lines = readFileSync(join(root, COSTS_FILE), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const { case: name, min } = JSON.parse(line) as { readonly case: string; readonly min: number }
      return [name, min]
    }),
  )
}
