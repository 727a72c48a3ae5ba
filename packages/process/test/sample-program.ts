// A whole program in small: what the tests of a process's life start as a child.
import { ConfigError, defineConfig, loadConfig } from '@berth/process/config'
import { startHealthServer } from '@berth/process/health'
import { createLogger } from '@berth/process/log'
import { runMain, shutdownSignal, untilAborted } from '@berth/process/shutdown'
import { BerthError } from '@berth/types'
import { z } from 'zod'

const definition = defineConfig({
  name: 'sample',
  summary: 'Serves health until it is told to stop.',
  healthAddress: '127.0.0.1:0',
  schema: z.strictObject({
    fail: z.enum(['no', 'config', 'plugin', 'defect', 'late']).default('no').describe('How to fail.'),
    stuck: z.enum(['no', 'handle', 'main', 'wait']).default('no').describe('What never ends.'),
  }),
  examples: [{ command: 'sample', description: 'Run.' }],
})

runMain(
  async () => {
    const loaded = loadConfig(definition, { argv: process.argv.slice(2), env: process.env })
    if (loaded.kind === 'exit') return loaded
    const { fail, stuck, healthAddress, logLevel } = loaded.values
    if (fail === 'config') {
      throw new ConfigError('read certificate /none: no such file', {
        code: 'BERTH_CONFIG_READ',
        hint: 'Check --tls-cert-file.',
      })
    }
    if (fail === 'plugin') {
      throw new BerthError('use plugin "x": there is none of this name', { code: 'BERTH_PLUGIN_UNKNOWN' })
    }
    if (fail === 'defect') throw new TypeError('x is undefined')
    if (fail === 'late') setTimeout(() => void Promise.reject(new Error('late')), 1)
    const log = createLogger({ component: 'sample', level: logLevel })
    const stop = shutdownSignal()
    await using server = await startHealthServer({ address: healthAddress, checks: [], log, stop })
    log.info({ address: server.address }, 'Ready')
    if (stuck === 'wait') {
      log.info({}, 'Waiting')
      await new Promise((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)))
    }
    await untilAborted(stop)
    log.info({ reason: stop.reason as unknown }, 'Stopping')
    if (stuck === 'handle') setInterval(() => {}, 1_000)
    if (stuck === 'main') await new Promise(() => setInterval(() => {}, 1_000))
    return undefined
  },
  // Long enough for the last line of the log to be written by a machine that is busy.
  { lingerMs: 5_000 },
)
