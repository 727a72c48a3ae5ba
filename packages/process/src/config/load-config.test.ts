import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineConfig } from './define-config.ts'
import { loadConfig } from './load-config.ts'
import type { LoadConfigOptions } from './load-config.ts'

const definition = defineConfig({
  name: 'sample-app',
  summary: 'Shows how a configuration is read.',
  healthAddress: '127.0.0.1:0',
  schema: z.strictObject({
    kubeApiQps: z.number().positive().default(50).describe('Requests per second.'),
    leaderElect: z.boolean().default(false).describe('Whether to elect a leader.'),
    schedulerName: z.string().optional().describe('Whose pods.'),
    mode: z.enum(['watcher', 'classic']).default('watcher').describe('How to register.'),
    names: z.array(z.string()).default([]).describe('Some names.'),
    resources: z
      .array(
        z.strictObject({
          name: z.string().describe('Name of the resource.'),
          units: z.int().min(0).describe('How many.'),
        }),
      )
      .default([])
      .describe('What to advertise.'),
    labels: z.record(z.string(), z.string()).default({}).describe('Labels.'),
  }),
  flags: { schedulerName: { short: 's', placeholder: 'NAME' } },
  examples: [{ command: 'sample-app --kube-api-qps 100', description: 'Go faster.' }],
})

const files = (texts: Record<string, string>) => (path: string) => {
  const text = texts[path]
  if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`))
  return text
}
const load = (argv: readonly string[], rest: Partial<LoadConfigOptions> = {}) =>
  loadConfig(definition, { argv, env: {}, readFile: files({}), ...rest })
const values = (argv: readonly string[], rest: Partial<LoadConfigOptions> = {}) => {
  const loaded = load(argv, rest)
  if (loaded.kind === 'exit') throw new Error(loaded.text)
  return loaded.values
}
const refusal = (argv: readonly string[], rest: Partial<LoadConfigOptions> = {}) => {
  const loaded = load(argv, rest)
  if (loaded.kind !== 'exit') throw new Error('it was accepted')
  expect(loaded.code).toBe(2)
  expect(loaded.text).not.toMatch(/^\s+at /m)
  return loaded.text
}

describe('loadConfig: precedence', () => {
  const env = { BERTH_SAMPLE_APP_KUBE_API_QPS: '30' }
  const readFile = files({ '/c.yaml': 'kubeApiQps: 20\nmode: classic\n' })

  test.for([
    { it: 'takes the default when nothing is said', argv: [], rest: {}, qps: 50, source: 'default' },
    {
      it: 'prefers the file to the default',
      argv: ['--config', '/c.yaml'],
      rest: { readFile },
      qps: 20,
      source: 'file',
    },
    {
      it: 'prefers the environment to the file',
      argv: ['--config=/c.yaml'],
      rest: { readFile, env },
      qps: 30,
      source: 'env',
    },
    {
      it: 'prefers the flag to the environment',
      argv: ['--config=/c.yaml', '--kube-api-qps', '40'],
      rest: { readFile, env },
      qps: 40,
      source: 'flag',
    },
    {
      it: 'lets the last of two flags win',
      argv: ['--kube-api-qps=1', '--kube-api-qps=2'],
      rest: {},
      qps: 2,
      source: 'flag',
    },
    {
      it: 'reads an empty variable as unset',
      argv: [],
      rest: { env: { BERTH_SAMPLE_APP_KUBE_API_QPS: '' } },
      qps: 50,
      source: 'default',
    },
  ])('$it', ({ argv, rest, qps, source }) => {
    const loaded = load(argv, rest)
    expect(loaded).toMatchObject({ kind: 'config', values: { kubeApiQps: qps } })
    expect(loaded.kind === 'config' && loaded.sources.get('kubeApiQps')).toBe(source)
  })

  test('takes the path of the file from the environment', () => {
    const loaded = load([], { readFile, env: { BERTH_SAMPLE_APP_CONFIG: '/c.yaml' } })
    expect(loaded).toMatchObject({ kind: 'config', path: '/c.yaml', values: { kubeApiQps: 20 } })
  })

  test('ignores the variables that the kubelet makes for a Service', () => {
    expect(values([], { env: { BERTH_SAMPLE_APP_PORT: 'tcp://10.0.0.1:80' } }).kubeApiQps).toBe(50)
  })

  test('gives frozen values', () => {
    const { resources } = values(['--resources', '[{name: a, units: 1}]'])
    expect(Object.isFrozen(resources)).toBe(true)
    expect(Object.isFrozen(resources[0])).toBe(true)
  })
})

describe('loadConfig: ways to write a flag', () => {
  test.for([
    { it: 'a switch', argv: ['--leader-elect'], expected: { leaderElect: true } },
    { it: 'a switch with a value', argv: ['--leader-elect=false'], expected: { leaderElect: false } },
    { it: 'a negated switch', argv: ['--no-leader-elect'], expected: { leaderElect: false } },
    { it: 'a value that begins with dashes', argv: ['--scheduler-name=--x'], expected: { schedulerName: '--x' } },
    { it: 'a negative number', argv: ['--names', '-5'], expected: { names: ['-5'] } },
    { it: 'one letter', argv: ['-s', 'mine'], expected: { schedulerName: 'mine' } },
    {
      it: 'a number that is a text for a text key',
      argv: ['--scheduler-name', '12'],
      expected: { schedulerName: '12' },
    },
    { it: 'a list by repetition', argv: ['--names', 'a', '--names', 'b'], expected: { names: ['a', 'b'] } },
    { it: 'a list as JSON', argv: ['--names', '["a","b"]'], expected: { names: ['a', 'b'] } },
    {
      it: 'objects of a list, one per flag',
      argv: ['--resources', '{name: a, units: 1}', '--resources', '{"name":"b","units":2}'],
      expected: {
        resources: [
          { name: 'a', units: 1 },
          { name: 'b', units: 2 },
        ],
      },
    },
    { it: 'a map', argv: ['--labels', '{zone: a}'], expected: { labels: { zone: 'a' } } },
  ])('$it', ({ argv, expected }) => {
    expect(values(argv)).toMatchObject(expected)
  })
})

describe('loadConfig: mistakes and their messages', () => {
  const yaml = (text: string) => ({ argv: ['--config', '/c.yaml'], rest: { readFile: files({ '/c.yaml': text }) } })

  test.for([
    {
      it: 'an unknown flag',
      argv: ['--kube-api-qsp', '3'],
      says: ['unknown flag --kube-api-qsp; did you mean --kube-api-qps?'],
    },
    { it: 'a flag without its value', argv: ['--kube-api-qps'], says: ['--kube-api-qps needs a value'] },
    {
      it: 'a flag in the place of a value',
      argv: ['--kube-api-qps', '--leader-elect'],
      says: ['--kube-api-qps needs a value'],
    },
    { it: 'a flag named like a prototype', argv: ['--__proto__=1'], says: ['unknown flag --__proto__'] },
    { it: 'a word after --', argv: ['--', '--leader-elect'], says: ['unexpected argument "--leader-elect"'] },
    {
      it: 'a text where a number belongs',
      argv: ['--kube-api-qps=many'],
      says: ['kubeApiQps: expected number, received string (from --kube-api-qps)'],
    },
    {
      it: 'a wrong variable, by its name',
      argv: [],
      rest: { env: { BERTH_SAMPLE_APP_LEADER_ELECT: 'yes' } },
      says: ['leaderElect: expected boolean, received string (from BERTH_SAMPLE_APP_LEADER_ELECT)'],
    },
    {
      it: 'a value that is not one of the choices',
      argv: ['--mode=clasic'],
      says: ['mode: expected one of "watcher"|"classic" (from --mode)'],
    },
    {
      it: 'an unknown key in a file, with the nearest one',
      ...yaml('kubeApiQPS: 3'),
      says: ['kubeApiQPS: no such key; did you mean "kubeApiQps"? (from /c.yaml)'],
    },
    {
      it: 'an unknown nested key, with its path',
      ...yaml('resources:\n- name: a\n  unit: 4\n'),
      says: [
        'resources[0].unit: no such key; did you mean "units"? (from /c.yaml)',
        'resources[0].units: it is missing (expected number)',
      ],
    },
    {
      it: 'a key that looks like a prototype',
      ...yaml('"__proto__": {polluted: true}'),
      says: ['__proto__: no such key'],
    },
    {
      it: 'a file that is not there',
      argv: ['--config', '/none.yaml'],
      says: ['read configuration file /none.yaml: no such file or directory', 'BERTH_CONFIG_READ'],
    },
    { it: 'a file that is not a mapping', ...yaml('- a\n- b\n'), says: ['/c.yaml: it is not a mapping of keys'] },
    { it: 'a key given twice', ...yaml('mode: classic\nmode: watcher\n'), says: ['Map keys must be unique at line 2'] },
    { it: 'a document that expands without end', ...yaml(bomb()), says: ['Excessive alias count'] },
    { it: 'an unexpected argument', argv: ['extra'], says: ['unexpected argument "extra"'] },
    {
      it: 'several things at once',
      argv: ['--mode=x', '--nope'],
      says: ['unknown flag --nope', 'mode: expected one of', 'BERTH_CONFIG_INVALID', 'See sample-app --help.'],
    },
    {
      it: 'a health address without a port',
      argv: ['--health-address=localhost'],
      says: ['healthAddress: expected HOST:PORT'],
    },
  ] as readonly { it: string; argv: readonly string[]; rest?: Partial<LoadConfigOptions>; says: readonly string[] }[])(
    '$it',
    ({ argv, rest = {}, says }) => {
      const text = refusal(argv, rest)
      for (const sentence of says) expect(text).toContain(sentence)
    },
  )

  test('an unsuitable prototype key pollutes nothing', () => {
    refusal(['--config', '/c.yaml'], { readFile: files({ '/c.yaml': '"__proto__": {polluted: true}' }) })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('loadConfig: words after the flags', () => {
  const advertiser = defineConfig({
    name: 'worded',
    summary: 'Takes words.',
    schema: z.strictObject({ once: z.boolean().default(false).describe('Once.') }),
    positionals: [{ name: 'COMMAND', description: 'What to do.', isRequired: true, choices: ['run', 'prune'] }],
    examples: [{ command: 'worded run', description: 'Run.' }],
  })

  test('hands them on', () => {
    expect(loadConfig(advertiser, { argv: ['prune', '--once'], env: {} })).toMatchObject({
      positionals: ['prune'],
      values: { once: true },
    })
  })

  test.for([
    { it: 'a missing one', argv: [], says: 'missing argument COMMAND' },
    { it: 'a wrong one', argv: ['prnue'], says: 'COMMAND "prnue": expected one of run, prune; did you mean prune?' },
    { it: 'one too many', argv: ['run', 'fast'], says: 'unexpected argument "fast"' },
  ])('refuses $it', ({ argv, says }) => {
    expect(loadConfig(advertiser, { argv, env: {} })).toMatchObject({ code: 2, text: expect.stringContaining(says) })
  })

  test('a program without a health address has no such flag', () => {
    expect(loadConfig(advertiser, { argv: ['run', '--health-address=:1'], env: {} })).toMatchObject({ code: 2 })
  })
})

describe('loadConfig: --help, --version, --print-config', () => {
  test('help shows each key with default and stays within 80 columns', () => {
    const loaded = load(['--help', '--kube-api-qps=broken'])
    expect(loaded).toMatchObject({ kind: 'exit', code: 0 })
    const text = loaded.kind === 'exit' ? loaded.text : ''
    for (const part of [
      'Usage:\n  sample-app [flags]',
      '--kube-api-qps NUMBER\n      Requests per second. Default: 50.',
      '-s, --scheduler-name NAME',
      '--leader-elect\n',
      '--mode watcher|classic',
      'resources[].units (integer): How many. Required.',
      '--health-address HOST:PORT',
      '--labels YAML',
      '--print-config',
      'BERTH_SAMPLE_APP_LOG_LEVEL',
      'sample-app --kube-api-qps 100',
    ]) {
      expect(text).toContain(part)
    }
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('version is the one of the package', () => {
    expect(load(['--version'])).toMatchObject({ code: 0, text: expect.stringMatching(/^sample-app \d+\.\d+\.\d+\n$/) })
  })

  test('the printed configuration names its sources and can be read back', () => {
    const argv = ['--kube-api-qps=7', '--resources', '[{name: a, units: 1}]']
    const printed = load([...argv, '--print-config'])
    expect(printed).toMatchObject({ code: 0 })
    const text = printed.kind === 'exit' ? printed.text : ''
    expect(text).toContain('# flag\nkubeApiQps: 7')
    expect(text).toContain('# default\nmode: watcher')
    expect(values(['--config', '/p.yaml'], { readFile: files({ '/p.yaml': text }) })).toEqual(values(argv))
  })
})

describe('loadConfig: a schema with a key config of its own', () => {
  const scheduler = defineConfig({
    name: 'own',
    summary: 'Reads its own format.',
    schema: z.strictObject({ config: z.string().optional().describe('KubeSchedulerConfiguration file.') }),
    examples: [{ command: 'own --config f', description: 'Read.' }],
  })

  test('reads no file and hands the path on', () => {
    const readFile = () => {
      throw new Error('it read a file')
    }
    expect(loadConfig(scheduler, { argv: ['--config', '/k.yaml'], env: {}, readFile })).toMatchObject({
      values: { config: '/k.yaml' },
    })
  })
})

function bomb(): string {
  const rows = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 8; level++) {
    rows.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`)
  }
  return rows.join('\n')
}
