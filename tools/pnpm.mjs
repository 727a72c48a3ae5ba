// Runs the pinned pnpm, whatever started us: npm, npx or pnpm itself. Plain JavaScript, so that a bare Node 20 can run it.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const isInsidePnpm = process.env.npm_config_user_agent?.startsWith('pnpm/') ?? false
const [command, ...prefix] = isInsidePnpm ? ['pnpm'] : ['npx', '--yes', packageManager]

const options = {
  stdio: 'inherit',
  env: { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', npm_config_update_notifier: 'false', ...process.env },
}

/** Installs, and ends this process where that fails. */
function install() {
  const { status, signal, error } = spawnSync(command, [...prefix, 'install', '--reporter=append-only'], options)
  if (error) console.error(`start ${command}: ${error.message}`)
  if (status !== 0) process.exit(status ?? (signal === 'SIGINT' ? 130 : 1))
}

/**
 * Runs pnpm and ends as it ends. It gets a process group of its own, to which signals are handed on: npx puts a shell
 * between us and pnpm, and that shell ends at a SIGTERM without passing it on.
 */
function run(args) {
  const child = spawn(command, [...prefix, ...args], { ...options, detached: true })
  child.once('error', (error) => {
    console.error(`start ${command}: ${error.message}`)
    process.exit(1)
  })
  child.once('exit', (status, signal) => process.exit(status ?? (signal === 'SIGINT' ? 130 : 1)))
  let handedOnAt = -Infinity
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // Ctrl-C arrives twice: from the terminal and through npm.
      if (performance.now() - handedOnAt < 500) return
      handedOnAt = performance.now()
      try {
        process.kill(-child.pid, signal)
      } catch {
        // It has ended already.
      }
    })
  }
}

const args = process.argv.slice(2)
if (!args.includes('install') && !existsSync(new URL('node_modules/.modules.yaml', root))) {
  console.error('First run: installing the pinned Node and the libraries, about half a minute.')
  install()
}
run(args)
