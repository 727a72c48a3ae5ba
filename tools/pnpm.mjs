// Runs the pinned pnpm, also when npm, npx or pnpm itself starts this file. It is plain JavaScript, so that a bare
// Node 20 can run it.
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

/** Installs the dependencies. Ends this process if that fails. */
function install() {
  const { status, signal, error } = spawnSync(command, [...prefix, 'install', '--reporter=append-only'], options)
  if (error) console.error(`start ${command}: ${error.message}`)
  if (status !== 0) process.exit(status ?? (signal === 'SIGINT' ? 130 : 1))
}

/**
 * Runs pnpm, and then ends this process with its exit status. pnpm gets a process group of its own, and signals are
 * passed to the whole group: npx starts pnpm through a shell, which would end at a SIGTERM without passing it on.
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
        // The group has ended already.
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
