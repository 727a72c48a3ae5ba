#!/usr/bin/env node
import { systemClock } from '@berth/clock'
import { createReadStream, existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { text } from 'node:stream/consumers'
import { runMain, type ExitRequest } from '@berth/process/shutdown'
import { silentLogger } from '@berth/types'
import manifest from '../package.json' with { type: 'json' }
import { briefCommand } from './brief/brief-command.ts'
import { capacityCommand } from './capacity/capacity-command.ts'
import { commandWords } from './cli/command-words.ts'
import { programPath } from './cli/program-path.ts'
import { completionInstallCommand, completionScriptCommand } from './completion/completion-command.ts'
import { printCompletions } from './completion/print-completions.ts'
import { runCli } from './cli/run-cli.ts'
import { UsageError } from './errors.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { extensionsCommand } from './extensions/extensions-command.ts'
import { explainCommand } from './explain/explain-command.ts'
import { abortOnSignals } from './cli/abort-on-signals.ts'
import { pluginListCommand } from './plugin/plugin-list-command.ts'
import { pluginTestCommand } from './plugin/plugin-test-command.ts'
import { pluginTypesCommand } from './plugin/plugin-types-command.ts'
import { replayCommand } from './replay/replay-command.ts'
import { simulateCommand } from './simulate/simulate-command.ts'
import { columnsOf, supportsColor, type Terminal } from './cli/terminal.ts'
import { wrapNote } from './cli/wrap-note.ts'
import { uninstallAnnounceCommand } from './uninstall/uninstall-announce-command.ts'
import { uninstallCheckCommand } from './uninstall/uninstall-check-command.ts'
import { hasScreen, openBrowser } from './ui/open-browser.ts'
import { uiCommand } from './ui/ui-command.ts'
import { wireCommand } from './wire/wire-command.ts'
import { whatifCommand } from './whatif/whatif-command.ts'
import { uninstallWaitCommand } from './uninstall/uninstall-wait-command.ts'

const clock = systemClock()
const random = Math.random
/** Bytes that one read of a large file returns. */
const READ_BYTES = 2 ** 20

const terminal: Terminal = {
  out: (answer) => void process.stdout.write(answer),
  clear: () => void (process.stdout.isTTY && process.stdout.write('\u001B[H\u001B[2J')),
  note: (note) => void process.stderr.write(note),
  ...columnsOf(process.stdout, process.env),
  hasColor: supportsColor(process.stdout, process.env),
  clock,
  random,
  readFile: (path) => (path === '-' ? text(process.stdin) : readFile(path, 'utf8')),
  readChunks: (path) => (path === '-' ? process.stdin : createReadStream(path, { highWaterMark: READ_BYTES })),
}

// Not a static import: an older Node would fail at it, before the program can say which Node it needs.
const isSingleExecutable = process.getBuiltinModule('node:sea').isSea()
const completionInstall = {
  program: programPath({
    argv: process.argv,
    execPath: process.execPath,
    isSingleExecutable,
    path: process.env['PATH'],
    exists: existsSync,
  }),
  isSingleExecutable,
  async writeExecutable(path: string, text: string) {
    await writeFile(path, text)
    await chmod(path, 0o755)
  },
}

const browser = {
  hasScreen: hasScreen(process),
  open: (url: string) => openBrowser(process.platform, url),
}

/** Wraps what the program says about its failure, which goes to standard error. */
function layOut(text: string): string {
  return wrapNote(text, columnsOf(process.stderr, process.env).tableColumns)
}

async function main(): Promise<ExitRequest | void> {
  const stop = abortOnSignals(process, clock)
  try {
    await runCli({
      argv: commandWords(process.argv),
      commands: [
        briefCommand,
        explainCommand,
        capacityCommand,
        whatifCommand,
        uiCommand(browser),
        extensionsCommand(process.env),
        doctorCommand,
        pluginTestCommand,
        pluginListCommand,
        pluginTypesCommand,
        simulateCommand,
        wireCommand,
        replayCommand,
        completionInstallCommand(completionInstall),
        completionScriptCommand(completionInstall),
        uninstallCheckCommand(process.env),
        uninstallAnnounceCommand,
        uninstallWaitCommand,
      ],
      terminal,
      stop,
      version: manifest.version,
      // The client is loaded by the commands that need it: help and simulate start without it.
      async connect({ kubeconfig, context, deadlineMs }) {
        const { connectCluster, loadKubeconfig } = await import('@berth/k8s-client')
        const access = loadKubeconfig({ path: kubeconfig, context, env: process.env, home: homedir() })
        const world = { log: silentLogger, clock, random }
        const cluster = connectCluster({
          access,
          ...world,
          qps: 0,
          userAgent: 'kubectl-berth',
          deadlineMs,
          encoding: 'protobuf',
        })
        return {
          cluster,
          deadlineMs,
          namespace: access.namespace ?? 'default',
          [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
        }
      },
      complete: printCompletions,
      async contexts(kubeconfig) {
        const { contextNames } = await import('@berth/k8s-client')
        return contextNames({ path: kubeconfig, env: process.env, home: homedir() })
      },
      async connectTransport(kubeconfig, context) {
        const { connectTransport, loadKubeconfig } = await import('@berth/k8s-client')
        const access = loadKubeconfig({ path: kubeconfig, context, env: process.env, home: homedir() })
        return connectTransport(access, { log: silentLogger, clock })
      },
      async builtInPlugins() {
        const [{ builtInPolicies }, { builtInDeviceSources }, { builtInResourceSources }] = await Promise.all([
          import('@berth/built-in-plugins'),
          import('@berth/built-in-plugins/device-sources'),
          import('@berth/built-in-plugins/resource-sources'),
        ])
        return [...builtInPolicies, ...builtInDeviceSources, ...builtInResourceSources]
      },
      async loadPlugins(dir) {
        const [{ loadPlugins }, { builtInPolicies }] = await Promise.all([
          import('@berth/plugin-api'),
          import('@berth/built-in-plugins'),
        ])
        return loadPlugins({ dir, kinds: ['scheduling'], builtIn: builtInPolicies, log: silentLogger })
      },
    })
  } catch (error) {
    if (stop.aborted) return { kind: 'exit', code: 130, text: '' }
    if (!(error instanceof UsageError)) throw error
    return {
      kind: 'exit',
      code: 2,
      text: layOut(`${error.message}${error.message.endsWith('?') ? '' : '.'} ${error.hint ?? ''} (${error.code})\n`),
    }
  }
}

runMain(main, { layOut })
