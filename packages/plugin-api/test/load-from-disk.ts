// Loads a directory in a process of its own, since Node's hooks and a test runner's own loader do not mix.
import { loadPlugins } from '@berth/plugin-api'
import { runSchedulingPlugin } from '@berth/plugin-api/testing'
import { BerthError, silentLogger } from '@berth/types'

const [dir = ''] = process.argv.slice(2)
try {
  const registry = await loadPlugins({ dir, kinds: ['scheduling'], builtIn: [], log: silentLogger })
  const names = registry.list().map(({ name }) => name)
  const hooks = names.map((name) =>
    Object.keys(registry.createScheduling(name, {}, { log: silentLogger, clock: clock(), random: () => 0 })),
  )
  const leftovers = Reflect.ownKeys(globalThis).filter((key) => String(key).includes('berth'))
  process.stdout.write(JSON.stringify({ names, hooks, leftovers, kit: typeof runSchedulingPlugin }))
} catch (error) {
  if (!(error instanceof BerthError)) throw error
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message, hint: error.hint }))
}

function clock() {
  return { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) }
}
