// Bundled by bundled-host.test.ts: copies one plugin into a directory of its own, loads it and names its hooks.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { loadPlugins } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'

async function main(file: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'berth-bundled-plugin-'))
  try {
    cpSync(file, join(dir, basename(file)))
    const registry = await loadPlugins({ dir, kinds: ['scheduling'], builtIn: [], log: silentLogger })
    const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) }
    const name = registry.list()[0]?.name ?? ''
    const hooks = registry.createScheduling(name, {}, { log: silentLogger, clock, random: () => 0 })
    process.stdout.write(`${name}: ${Object.keys(hooks).join()}`)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

void main(process.argv[2] ?? '')
