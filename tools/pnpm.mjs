// Runs the pinned pnpm, whatever started us: npm, npx or pnpm itself. Plain JavaScript, so that a bare Node 20 can run it.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const isInsidePnpm = process.env.npm_config_user_agent?.startsWith('pnpm/') ?? false
const [command, ...prefix] = isInsidePnpm ? ['pnpm'] : ['npx', '--yes', packageManager]

/** Runs pnpm with the given arguments and ends this process where that fails. */
function pnpm(args) {
  const { status, signal, error } = spawnSync(command, [...prefix, ...args], {
    stdio: 'inherit',
    env: { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', npm_config_update_notifier: 'false', ...process.env },
  })
  if (error) console.error(`start ${command}: ${error.message}`)
  if (status !== 0) process.exit(status ?? (signal === 'SIGINT' ? 130 : 1))
}

const args = process.argv.slice(2)
if (!args.includes('install') && !existsSync(new URL('node_modules/.modules.yaml', root))) {
  console.error('First run: installing the pinned Node and the libraries, about half a minute.')
  pnpm(['install', '--reporter=append-only'])
}
pnpm(args)
