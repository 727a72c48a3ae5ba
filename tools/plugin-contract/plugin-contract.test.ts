import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { contractFaults } from './contract-faults.ts'
import { flatContract } from './flat-contract.ts'
import { recordContract } from './record-contract.ts'
import { recordedPath } from './recorded-path.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const current = flatContract(root)
const path = recordedPath(current)
const recorded = readFileSync(join(root, path), 'utf8')

/** Returns the recorded contract with one change. */
function changed(from: string | RegExp, to: string): string {
  const result = recorded.replace(from, to)
  expect(result).not.toBe(recorded)
  return result
}

/** Returns the recorded text of an interface that is not exported. */
function declarationOf(name: string): string {
  return new RegExp(`^interface ${name} \\{\n[^]*?^\\}\n`, 'm').exec(recorded)?.[0] ?? ''
}

test('a change that breaks plugins is not recorded', () => {
  const earlier = recorded.replace('    permit?(', '    permit?(reason: string, ')
  expect(() => recordContract(root, earlier)).toThrow(
    `the plugin contract breaks what ${path} promises: a built SchedulingPlugin: `,
  )
})

test('the contract keeps what is recorded for its version', () => {
  expect(contractFaults(root, recorded, current)).toEqual([])
})

describe('contractFaults', () => {
  test.for([
    {
      it: 'an environment without randomness',
      from: '    readonly random: Random;\n}\nexport interface SourceEnv',
      to: '}\nexport interface SourceEnv',
      promise: 'a built SchedulingPlugin',
    },
    {
      it: 'a renamed hook',
      from: '    reserve?(pod',
      to: '    hold?(pod',
      promise: 'members of SchedulingHooks',
    },
    {
      it: 'a hook argument that becomes optional to read',
      from: '    readonly signal: AbortSignal;\n    readonly log: Logger;',
      to: '    readonly signal?: AbortSignal;\n    readonly log: Logger;',
      promise: 'a built SchedulingPlugin',
    },
    {
      it: 'a result that the host no longer accepts',
      from: 'export type NodeVerdict = undefined | string |',
      to: 'export type NodeVerdict = undefined |',
      promise: 'arguments of perNode',
    },
    {
      it: 'a new required field of what a plugin returns',
      from: 'export interface Device {',
      to: 'export interface Device {\n    readonly vendor: string;',
      promise: 'a built DeviceSourcePlugin',
    },
    {
      it: 'a new required option',
      from: 'export interface ResourceSourceOptions<Schema extends z.ZodType> {',
      to: 'export interface ResourceSourceOptions<Schema extends z.ZodType> {\n    readonly license: string;',
      promise: 'arguments of defineResourceSource',
    },
    {
      it: 'an amount of another type',
      from: '    allocatable(row: number, resourceName: string): bigint;',
      to: '    allocatable(row: number, resourceName: string): number;',
      promise: 'a built SchedulingPlugin',
    },
    { it: 'a removed type', from: 'export interface NodeView {', to: 'interface NodeView {', promise: 'type NodeView' },
    { it: 'another version', from: "'berth.dev/v1'", to: "'berth.dev/v2'", promise: 'a built SchedulingPlugin' },
    {
      it: 'another constant',
      from: 'MAX_NODE_SCORE = 100',
      to: 'MAX_NODE_SCORE = 10',
      promise: 'constant MAX_NODE_SCORE',
    },
    ...(
      [
        ['PodSpec', 'tolerations'],
        ['ObjectMeta', 'labels'],
        ['Container', 'resources'],
      ] as const
    ).map(([type, field]) => ({
      it: `a removed optional field of a type that is not exported: ${type}.${field}`,
      from: declarationOf(type),
      to: declarationOf(type).replace(new RegExp(`^ {4}readonly ${field}\\?: .*\n`, 'm'), ''),
      promise: `members of ${type}`,
    })),
    {
      it: 'a removed optional field within a field: PersistentVolumeClaim.spec.volumeMode',
      from: declarationOf('PersistentVolumeClaim'),
      to: declarationOf('PersistentVolumeClaim').replace('readonly volumeMode?: string;', ''),
      promise: 'members of PersistentVolumeClaim',
    },
  ])('finds $it', ({ from, to, promise }) => {
    expect(contractFaults(root, recorded, changed(from, to)).join('\n')).toContain(`${promise}: `)
  })

  test.for([
    { it: 'a new optional hook', from: '    reserve?(pod', to: '    hold?(pod: Pod): void;\n    reserve?(pod' },
    {
      it: 'a new field of what the host gives',
      from: 'export interface PluginEnv {',
      to: 'export interface PluginEnv {\n    readonly zone: string;',
    },
    {
      it: 'a new field of the context of a hook',
      from: 'export interface DecideContext {',
      to: 'export interface DecideContext {\n    readonly zone: string;',
    },
    {
      it: 'a new optional field of what a plugin returns',
      from: 'export interface Device {',
      to: 'export interface Device {\n    readonly vendor?: string;',
    },
    {
      it: 'a result that the host accepts, too',
      from: 'export type NodeVerdict = undefined |',
      to: 'export type NodeVerdict = undefined | null |',
    },
    {
      it: 'a new type',
      from: 'export interface NodeView {',
      to: 'export interface More {\n}\nexport interface NodeView {',
    },
    { it: 'another name of a type that is not exported', from: /\bToleration\b/g, to: 'PodToleration' },
  ])('accepts $it', ({ from, to }) => {
    expect(contractFaults(root, recorded, changed(from, to))).toEqual([])
  })
})
