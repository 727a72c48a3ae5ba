// Runs the pinned pnpm, whatever started us: npm, npx or pnpm itself. Plain JavaScript, so that a bare Node 20 can run it.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const isInsidePnpm = process.env.npm_config_user_agent?.startsWith('pnpm/') ?? false
const [command, ...prefix] = isInsidePnpm ? ['pnpm'] : ['npx', '--yes', packageManager]
const { status, error } = spawnSync(command, [...prefix, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', npm_config_update_notifier: 'false', ...process.env },
})
if (error) console.error(`start ${command}: ${error.message}`)
process.exit(status ?? 1)
