import { join } from 'node:path'
import { loadConfig } from '@berth/process/config'
import { describe, expect, test } from 'vitest'
import { configDefinition } from './config.ts'
import { toDeclarations } from './config/to-declarations.ts'

const load = (text: string, ...argv: readonly string[]) =>
  loadConfig(configDefinition, { argv: ['--config', 'x.yaml', ...argv], env: {}, readFile: () => text })
const entry = (more: string, name = 'example.com/dongle') => `resources:\n  - {name: ${name}, ${more}}\n`

describe('configuration', () => {
  test('reads 4 dongles on a node by name', () => {
    const loaded = load(entry('units: 4, nodes: {names: [node-a]}'))
    expect(loaded.kind === 'config' && toDeclarations(loaded.values.resources)).toEqual([
      {
        path: 'resources[0]',
        origin: { kind: 'file' },
        resourceName: 'example.com/dongle',
        nodes: { kind: 'names', names: new Set(['node-a']) },
        amount: { kind: 'units', units: 4n },
      },
    ])
  })

  test('reads examples/dongle/advertiser.yaml', () => {
    const path = join(import.meta.dirname, '../../../examples/dongle/advertiser.yaml')
    const loaded = loadConfig(configDefinition, { argv: ['--config', path], env: {} })
    expect(loaded.kind === 'config' && toDeclarations(loaded.values.resources)).toMatchObject([
      { resourceName: 'example.com/dongle', amount: { units: 4n } },
    ])
  })

  test('reads a selector, a source and the largest amount', () => {
    const text = `resources:
  - name: a.b/computed
    source: {plugin: file, args: {path: /x}, everySeconds: 5, reading: free, min: 2, max: "10", step: 2, rounding: up, timeoutSeconds: 1, keepSeconds: 600}
    nodes: {selector: {matchLabels: {a: b}, matchExpressions: [{key: zone, operator: In, values: [x]}, {key: y, operator: Exists}]}}
  - {name: a.b/many, units: "9223372036854775807", nodes: {selector: {}}}
`
    const loaded = load(text)
    expect(loaded.kind === 'config' && toDeclarations(loaded.values.resources)).toEqual([
      {
        path: 'resources[0]',
        origin: { kind: 'file' },
        resourceName: 'a.b/computed',
        nodes: {
          kind: 'selector',
          selector: {
            matchLabels: { a: 'b' },
            matchExpressions: [
              { key: 'zone', operator: 'In', values: ['x'] },
              { key: 'y', operator: 'Exists' },
            ],
          },
        },
        amount: {
          kind: 'source',
          plugin: 'file',
          args: { path: '/x' },
          reading: 'free',
          shape: { min: 2n, max: 10n, step: 2n, rounding: 'up' },
          everyMs: 5_000,
          timeoutMs: 1_000,
          maxAgeMs: 300_000,
          keepMs: 600_000,
        },
      },
      {
        path: 'resources[1]',
        origin: { kind: 'file' },
        resourceName: 'a.b/many',
        nodes: { kind: 'selector', selector: {} },
        amount: { kind: 'units', units: 9_223_372_036_854_775_807n },
      },
    ])
  })

  const nodes = 'nodes: {names: [node-a]}'
  test.for([
    {
      it: 'a name without a domain',
      text: entry(`units: 4, ${nodes}`, 'dongle'),
      says: 'resources[0].name: "dongle" is not an extended resource',
    },
    {
      it: 'a name in a Kubernetes domain',
      text: entry(`units: 4, ${nodes}`, 'x.kubernetes.io/dongle'),
      says: 'resources[0].name: ',
    },
    { it: 'a fraction', text: entry(`units: 4.5, ${nodes}`), says: 'resources[0].units: ' },
    { it: 'a negative count', text: entry(`units: -1, ${nodes}`), says: 'resources[0].units: ' },
    {
      it: 'more than int64',
      text: entry(`units: "9223372036854775808", ${nodes}`),
      says: 'resources[0].units: expected at most 2^63-1',
    },
    ...['many', '1k', '"1.5"', '2_000', '"2_000"', '4Gi', '""'].map((text) => ({
      it: `the units ${text}`,
      text: entry(`units: ${text}, ${nodes}`),
      says: 'resources[0].units: expected a whole number',
    })),
    { it: 'neither units nor a source', text: entry(nodes), says: 'resources[0]: expected either units or source' },
    {
      it: 'units and a source',
      text: entry(`units: 1, source: {plugin: x}, ${nodes}`),
      says: 'resources[0]: expected either units or source',
    },
    ...[
      { it: 'a minimum above the maximum', source: 'min: 4, max: 2', says: 'min: expected at most max, 2' },
      { it: 'a maximum between two steps', source: 'max: 7, step: 2', says: 'max: expected a multiple of step, 2' },
      { it: 'a step of zero', source: 'step: "0"', says: 'step: expected at least 1' },
      { it: 'bounds and a step of zero', source: 'min: 2, step: 0', says: 'step: expected at least 1' },
      { it: 'a bound that is not a number', source: 'min: 2, max: 1_0', says: 'max: expected a whole number' },
      { it: 'a step that is not a number', source: 'min: 2, step: 1_0', says: 'step: expected a whole number' },
      { it: 'an unknown rounding', source: 'rounding: even', says: 'rounding: ' },
      { it: 'an unknown reading', source: 'reading: used', says: 'reading: ' },
      { it: 'a source without a deadline', source: 'timeoutSeconds: 0', says: 'timeoutSeconds: ' },
      {
        it: 'an amount that goes while its value is fresh',
        source: 'keepSeconds: 60',
        says: 'keepSeconds: expected at least maxAgeSeconds, 300',
      },
    ].map(({ it, source, says }) => ({
      it,
      text: entry(`source: {plugin: file, ${source}}, ${nodes}`),
      says: `resources[0].source.${says}`,
    })),
    ...['https://a.example/path', 'https://user@a.example', 'ftp://a.example', 'a.example', 'https://a.example?x'].map(
      (origin) => ({
        it: `the origin ${origin}`,
        text: `sourceOrigins: [{origin: '${origin}'}]`,
        says: 'sourceOrigins[0].origin: expected PROTOCOL://HOST:PORT',
      }),
    ),
    {
      it: 'credentials outside of their directory',
      text: "sourceOrigins: [{origin: 'https://a.example', credentials: ../token}]",
      says: 'sourceOrigins[0].credentials: expected the name of a Secret',
    },
    { it: 'no nodes', text: entry('units: 4'), says: 'resources[0].nodes: ' },
    {
      it: 'names and a selector',
      text: entry('units: 4, nodes: {names: [a], selector: {}}'),
      says: 'resources[0].nodes: expected either names or selector',
    },
    { it: 'a misspelled key', text: entry(`unit: 4, ${nodes}`), says: 'unit' },
    {
      it: 'an operator that label selectors do not have',
      text: entry('units: 4, nodes: {selector: {matchExpressions: [{key: a, operator: Gt, values: ["1"]}]}}'),
      says: 'resources[0].nodes.selector.matchExpressions[0].operator: ',
    },
    {
      it: 'In without values',
      text: entry('units: 4, nodes: {selector: {matchExpressions: [{key: a, operator: In}]}}'),
      says: 'matchExpressions[0].values: In takes at least one value',
    },
    {
      it: 'two declarations of one resource on one node',
      text: `${entry(`units: 4, ${nodes}`)}  - {name: example.com/dongle, units: 5, nodes: {names: [node-b, node-a]}}\n`,
      says: 'resources[1].nodes.names[1]: example.com/dongle on node node-a is already declared in resources[0]',
    },
  ])('refuses $it and names the key', ({ text, says }) => {
    expect(load(text)).toMatchObject({ kind: 'exit', code: 2, text: expect.stringContaining(says) })
  })

  test('accepts its commands and refuses others', () => {
    const good = load('{}', 'prune', '--dry-run')
    expect(good.kind === 'config' && [good.positionals, good.values.dryRun]).toEqual([['prune'], true])
    expect(load('{}', 'prnue')).toMatchObject({ kind: 'exit', code: 2 })
  })
})
