import type { Servers } from './bad-files.ts'
import type { ProgramName } from './run-bundle.ts'

/** A user error and the expected message of the program. */
export interface BadCase {
  readonly program: ProgramName
  readonly it: string
  readonly args: readonly string[]
  /** Exit status: 2 for a configuration or usage error, 1 for other errors. */
  readonly code: 1 | 2
  /** Texts that the program's message, a single line, must contain. */
  readonly says: readonly string[]
}

/** Programs that run until they are stopped. */
export const daemons = ['advertiser', 'device-plugin', 'extender', 'scheduler'] as const

type Daemon = (typeof daemons)[number]

/** Misspelled keys of the configuration files, with the path and the intended key. */
const misspelt: Readonly<Record<Daemon, string>> = {
  advertiser: 'resources[0].unitz: no such key; did you mean "units"?',
  'device-plugin': 'resources[0].sauce: no such key; did you mean "source"?',
  extender: 'plugins[0].wieght: no such key; did you mean "weight"?',
  scheduler: 'profiles[0].schedulerNam: no such key; did you mean "schedulerName"?',
}
const mistyped: Readonly<Record<Daemon, string>> = {
  advertiser: 'resources: expected array, received number',
  'device-plugin': 'resources[0].name: expected string, received number',
  extender: 'maxViewAgeSeconds: expected number, received string',
  scheduler: 'profiles: expected array, received string',
}
const tooLarge: Readonly<Record<Daemon, string>> = {
  advertiser: 'kubeApiQps: expected number',
  'device-plugin': 'resources[0].args.count: expected number to be <=30000',
  extender: 'kubeApiBurst: expected',
  scheduler: 'clientConnection.qps: expected number',
}
const nobody: Readonly<Record<Daemon, string>> = {
  advertiser: '"nobody"',
  'device-plugin': 'Did you mean "count"?',
  extender: 'plugins[0]: there is no plugin chaos-dcie',
  scheduler: 'profiles[0].plugins.score.enabled[0]: plugin chaos-dcie',
}

/** Returns all cases. Paths are relative to the directory of the bad files. */
export function badCases(servers: Servers): readonly BadCase[] {
  return [
    ...daemons.flatMap((program) => [
      ...configurationCases(program),
      ...pluginCases(program),
      ...occupiedCases(program, servers),
    ]),
    ...(['advertiser', 'extender'] as const).flatMap((program) => kubeconfigCases(program, good(program)).slice(0, 2)),
    ...kubeconfigCases('scheduler', good('scheduler')),
    {
      program: 'scheduler',
      it: 'no election and no permission for the Lease that keeps a second replica idle',
      args: ['--config', 'no-election.yaml', '--kubeconfig', 'kube-forbidden', '--log-level', 'error'],
      code: 1,
      says: ['a second replica would not be noticed', 'Grant the verbs', '(BERTH_SCHEDULER_LEASE_FORBIDDEN)'],
    },
    ...kubeconfigCases('kubectl-berth', ['brief']),
    ...serverCases('advertiser', [...good('advertiser'), '--once', '--log-level', 'error']),
    ...serverCases('kubectl-berth', ['brief']),
    ...serverCases('kubectl-berth', ['explain', 'pod', 'demo']),
    ...socketCases(),
    ...extenderCases(),
    ...commandCases(servers),
    ...simulatorCases(servers),
  ]
}

/** Returns arguments with which the program would start if it were not for the error of the case. */
export function good(program: Daemon): readonly string[] {
  return ['--config', `good-${program}.yaml`, '--health-address', '127.0.0.1:0']
}

function configurationCases(program: Daemon): readonly BadCase[] {
  const config = (it: string, file: string, ...says: readonly string[]): BadCase => ({
    program,
    it,
    args: ['--config', file],
    code: 2,
    says: [file, ...says],
  })
  return [
    config('an unknown key', `unknown-${program}.yaml`, misspelt[program]),
    config('a value of the wrong type', `type-${program}.yaml`, mistyped[program]),
    config('a huge number', `huge-${program}.yaml`, tooLarge[program]),
    config('a YAML syntax error', 'syntax.yaml', 'at line 3'),
    config('a list instead of keys', 'list.yaml'),
    config('a key __proto__', 'prototype.yaml', '__proto__: no such key'),
    config('a configuration that does not exist', 'nowhere.yaml', 'no such file'),
    config('a directory as configuration', 'sockets', 'illegal operation on a directory'),
    config('a configuration below a file', 'empty.yaml/config', 'not a directory'),
    {
      program,
      it: 'an unknown flag',
      args: ['--log-levl', 'info'],
      code: 2,
      says: ['unknown flag --log-levl; did you mean --log-level?', `See ${program} --help.`],
    },
    { program, it: 'a flag without its value', args: ['--log-level'], code: 2, says: ['--log-level needs a value'] },
    { program, it: 'a stray word', args: ['stray'], code: 2, says: ['stray'] },
    {
      program,
      it: 'an invalid address',
      args: ['--health-address', 'localhost'],
      code: 2,
      says: ['healthAddress: expected HOST:PORT (from --health-address)'],
    },
  ]
}

function pluginCases(program: Daemon): readonly BadCase[] {
  const args = [...good(program), ...(program === 'device-plugin' ? [] : ['--kubeconfig', 'kube-refused'])]
  const plugin = (it: string, dir: string, code: 1 | 2, ...says: readonly string[]): BadCase => ({
    program,
    it,
    args: [...args, '--plugin-dir', dir],
    code,
    says: [dir, ...says],
  })
  return [
    plugin('a plugin with a syntax error', 'plugin-syntax', 1, 'broken.mjs: SyntaxError', '(BERTH_PLUGIN_LOAD)'),
    plugin('a plugin of another version', 'plugin-version', 1, 'it is written for 99', '(BERTH_PLUGIN_VERSION)'),
    plugin('a plugin package without manifest', 'plugin-package', 1, 'package.json', '(BERTH_PLUGIN_LOAD)'),
    plugin('a plugin directory that does not exist', 'nowhere', 2, 'no such file', '(BERTH_PLUGIN_DIR)'),
    plugin('a file as plugin directory', 'empty.yaml', 2, 'not a directory', '(BERTH_PLUGIN_DIR)'),
    {
      program,
      it: 'an unknown plugin',
      args: [...args, '--config', `nobody-${program}.yaml`, ...(program === 'extender' ? ['--insecure-http'] : [])],
      code: 2,
      says: [nobody[program]],
    },
  ]
}

function occupiedCases(program: Daemon, { busyPort }: Servers): readonly BadCase[] {
  const reach = program === 'device-plugin' ? ['--plugins-registry', 'sockets'] : ['--kubeconfig', 'kube-refused']
  return [
    {
      program,
      it: 'an occupied health port',
      args: ['--config', `good-${program}.yaml`, ...reach, '--health-address', `127.0.0.1:${busyPort}`],
      code: 1,
      says: [`127.0.0.1:${busyPort}: the port is in use`, '--health-address', '(BERTH_LISTEN_FAILED)'],
    },
  ]
}

function kubeconfigCases(program: ProgramName, args: readonly string[]): readonly BadCase[] {
  const kube = (it: string, file: string, ...says: readonly string[]): BadCase => ({
    program,
    it: `a kubeconfig ${it}`,
    args: [...args, '--kubeconfig', file],
    code: 1,
    says: [file, ...says],
  })
  return [
    kube('that does not exist', 'kube-nowhere', 'no such file', '(BERTH_KUBECONFIG_MISSING)'),
    kube('that is a directory', 'sockets', 'directory', '(BERTH_KUBECONFIG_MISSING)'),
    kube('that is empty', 'kube-empty', 'not a YAML object', '(BERTH_KUBECONFIG_INVALID)'),
    kube('that is no YAML', 'kube-syntax', 'at line 2', '(BERTH_KUBECONFIG_INVALID)'),
    kube('that is a page of something else', 'kube-html', 'not a YAML object', '(BERTH_KUBECONFIG_INVALID)'),
    kube('without a server', 'kube-no-server', 'clusters[0].cluster.server', '(BERTH_KUBECONFIG_INVALID)'),
    kube('of an unknown context', 'kube-context', '"nowhere"', 'here', '(BERTH_KUBECONFIG_CONTEXT)'),
    { program, it: 'no kubeconfig at all', args, code: 1, says: ['.kube/config', '--kubeconfig FILE'] },
  ]
}

/** Errors of a program that cannot use its API server, by kubeconfig. */
export const refusals = [
  { it: 'an API server that does not run', kubeconfig: 'kube-refused', code: 'BERTH_API_UNREACHABLE' },
  { it: 'an API server of another authority', kubeconfig: 'kube-authority', code: 'BERTH_API_UNTRUSTED' },
  { it: 'a token that expired', kubeconfig: 'kube-token', code: 'BERTH_API_UNAUTHORIZED' },
  { it: 'missing permissions', kubeconfig: 'kube-forbidden', code: 'BERTH_API_FORBIDDEN' },
] as const

function serverCases(program: ProgramName, args: readonly string[]): readonly BadCase[] {
  return refusals.map(({ it, kubeconfig, code }) => ({
    program,
    it: `${args[0] === '--config' ? '--once' : args[0]} with ${it}`,
    args: [...args, '--kubeconfig', kubeconfig],
    code: 1,
    says: [`(${code})`],
  }))
}

function socketCases(): readonly BadCase[] {
  const program = 'device-plugin'
  const args = good(program)
  const code = '(BERTH_DEVICE_PLUGIN_SOCKET_DIR)'
  return [
    {
      program,
      it: 'a plugins registry that does not exist',
      args: [...args, '--plugins-registry', 'nowhere'],
      code: 1,
      says: ['nowhere', '--plugins-registry', 'it does not exist', code],
    },
    {
      program,
      it: 'a device plugin directory that does not exist',
      args: [...args, '--registration', 'classic', '--device-plugin-dir', 'nowhere'],
      code: 1,
      says: ['nowhere', '--device-plugin-dir', 'it does not exist', code],
    },
    {
      program,
      it: 'a plugins registry that is a file',
      args: [...args, '--plugins-registry', 'empty.yaml'],
      code: 1,
      says: ['empty.yaml', 'it is not a directory', code],
    },
  ]
}

function extenderCases(): readonly BadCase[] {
  const program = 'extender'
  const code = 2
  const tls = '(BERTH_EXTENDER_CONFIG_TLS)'
  return [
    { program, it: 'no certificate', args: [], code, says: ['--tls-cert-file', '--insecure-http', tls] },
    {
      program,
      it: 'a certificate that does not exist',
      args: ['--tls-cert-file', 'nowhere.crt', '--tls-private-key-file', 'nowhere.key'],
      code,
      says: ['nowhere.crt', tls],
    },
    {
      program,
      it: 'plain HTTP on all addresses',
      args: ['--insecure-http', '--listen', '0.0.0.0:0'],
      code,
      says: ['0.0.0.0:0', '--insecure-anywhere', tls],
    },
  ]
}

function commandCases({ busyPort }: Servers): readonly BadCase[] {
  const program = 'kubectl-berth'
  const usage = (it: string, args: readonly string[], ...says: readonly string[]): BadCase => ({
    program,
    it,
    args,
    code: 2,
    says: [...says, 'Run: kubectl berth', '(BERTH_KUBECTL_USAGE)'],
  })
  return [
    usage('an unknown command', ['breif'], '"breif"'),
    usage('an unknown flag of a command', ['brief', '--foo'], '--foo'),
    usage('an unknown format', ['capacity', '-o', 'xml'], 'json, yaml'),
    usage('a word too many', ['capacity', 'a', 'b'], 'unexpected argument "b"'),
    usage('explain without a pod', ['explain'], 'which pod?'),
    usage('explain with only a name', ['explain', 'web-0'], 'kubectl berth explain pod web-0'),
    usage('a value of --nodes that is not a number', ['simulate', '--nodes', '1e9'], '--nodes 1e9'),
    {
      program,
      it: 'simulate on an occupied port',
      args: ['simulate', '--nodes', '1', '--dir', 'simulation', '--port', String(busyPort)],
      code: 1,
      // Its first line prints the address at which it would have served.
      says: ['the port is in use', '--port', '(BERTH_SIMULATOR_LISTEN)'],
    },
    {
      program,
      it: 'simulate in a file',
      args: ['simulate', '--dir', 'empty.yaml'],
      code: 1,
      says: ['empty.yaml', '--dir', '(BERTH_SIMULATOR_DIRECTORY)'],
    },
  ]
}

function simulatorCases({ busyPort }: Servers): readonly BadCase[] {
  const program = 'simulate'
  const usage = (it: string, args: readonly string[], ...says: readonly string[]): BadCase => ({
    program,
    it,
    args,
    code: 2,
    says: [...says, 'Run: kubectl berth simulate --help', '(BERTH_KUBECTL_USAGE)'],
  })
  return [
    usage('an unknown flag', ['--nodez', '3'], 'unknown flag --nodez; did you mean --nodes?'),
    usage('a huge number of nodes', ['--kubeconfig', 'k', '--nodes', '1e9'], '--nodes 1e9'),
    usage('a kubeconfig to write and one to join', ['--kubeconfig', 'k', '--join', 'j'], '--join'),
    {
      program,
      it: 'a kubeconfig in no directory',
      args: ['--nodes', '1', '--kubeconfig', 'nowhere/kubeconfig'],
      code: 1,
      says: ['nowhere/kubeconfig', '(BERTH_SIMULATOR_KUBECONFIG)'],
    },
    {
      program,
      it: 'an occupied port',
      args: ['--nodes', '1', '--kubeconfig', 'k', '--port', String(busyPort)],
      code: 1,
      says: ['the port is in use', '(BERTH_SIMULATOR_LISTEN)'],
    },
    {
      program,
      it: 'a directory that is a file',
      args: ['--nodes', '1', '--kubeconfig', 'k', '--dir', 'empty.yaml'],
      code: 1,
      says: ['empty.yaml', '(BERTH_SIMULATOR_DIRECTORY)'],
    },
  ]
}
