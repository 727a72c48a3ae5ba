import { loadConfig } from '@berth/process/config'
import { describe, expect, test } from 'vitest'
import { configDefinition } from './config.ts'

const load = (resources: string) => loadConfig(configDefinition, { argv: ['--resources', resources], env: {} })

describe('configDefinition', () => {
  test('accepts built-in sources and plugins', () => {
    const loaded = load(
      '[{name: a.b/c, source: count, args: {count: 2}}, {name: a.b/d, source: path-glob, args: {paths: [/dev/x*]}}, {name: a.b/e, source: moons, args: {any: thing}}]',
    )
    expect(loaded.kind).toBe('config')
  })

  test('accepts one path in two resources when one of them offers a part of the devices', () => {
    const paths = 'source: path-glob, args: {paths: [/dev/x*]}'
    expect(
      load(`[{name: a.b/c, ${paths}, include: [/dev/x1]}, {name: a.b/d, ${paths}, exclude: [/dev/x1]}]`).kind,
    ).toBe('config')
    const seats = 'source: count, args: {count: 4, idPrefix: seat}'
    expect(load(`[{name: a.b/c, ${seats}, include: [seat-0]}, {name: a.b/d, ${seats}, exclude: [seat-0]}]`).kind).toBe(
      'config',
    )
  })

  test.for([
    { it: 'no replica', resources: '[{name: a.b/c, source: moons, replicas: 0}]', says: 'resources[0].replicas' },
    {
      it: 'nothing to include',
      resources: '[{name: a.b/c, source: moons, include: []}]',
      says: 'resources[0].include',
    },
    {
      it: 'a name without a domain',
      resources: '[{name: c, source: count, args: {count: 1}}]',
      says: 'it has no domain',
    },
    {
      it: 'a missing count',
      resources: '[{name: a.b/c, source: count}]',
      says: 'resources[0].args.count: it is missing',
    },
    {
      it: 'a misspelled argument',
      resources: '[{name: a.b/c, source: count, args: {cout: 1}}]',
      says: 'did you mean "count"',
    },
    { it: 'a negative count', resources: '[{name: a.b/c, source: count, args: {count: -1}}]', says: 'args.count' },
    {
      it: 'a relative path',
      resources: '[{name: a.b/c, source: path-glob, args: {paths: [x]}}]',
      says: 'an absolute path',
    },
    {
      it: 'permissions twice',
      resources: '[{name: a.b/c, source: path-glob, args: {paths: [/x], permissions: rr}}]',
      says: 'a combination of r, w and m',
    },
    {
      it: 'one container path for many',
      resources: '[{name: a.b/c, source: path-glob, args: {paths: ["/x*"], containerPath: /y}}]',
      says: 'expected {name} in the path',
    },
    {
      it: 'a relative mount for containers',
      resources: '[{name: a.b/c, source: moons, container: {mounts: [{hostPath: x}]}}]',
      says: 'resources[0].container.mounts[0].hostPath',
    },
    {
      it: 'two container paths of one resource that are equal',
      resources:
        '[{name: a.b/c, source: moons, container: {mounts: [{hostPath: /x}], deviceNodes: [{hostPath: /y, containerPath: /x}]}}]',
      says: 'another entry has the container path /x',
    },
    {
      it: 'a CDI name without a class',
      resources: '[{name: a.b/c, source: moons, container: {cdiDevices: [x=0]}}]',
      says: 'expected a CDI name',
    },
    {
      it: 'a preStart that the kubelet would cut off',
      resources: '[{name: a.b/c, source: moons, preStart: {command: [x], timeoutSeconds: 30}}]',
      says: 'resources[0].preStart.timeoutSeconds',
    },
    {
      it: 'a resource twice',
      resources: '[{name: a.b/c, source: count, args: {count: 1}}, {name: a.b/c, source: moons}]',
      says: 'resources[1].name: a.b/c is already configured in resources[0]',
    },
    {
      it: 'equal ids of two resources',
      resources:
        '[{name: a.b/seat, source: count, args: {count: 1}}, {name: c.d/seat, source: count, args: {count: 1}}]',
      says: 'resources[1].args.idPrefix: resources[0] has the ids seat-0, … too',
    },
    {
      it: 'a path of two resources',
      resources:
        '[{name: a.b/c, source: path-glob, args: {paths: [/dev/x*]}}, {name: a.b/d, source: path-glob, args: {paths: [/dev/x*]}}]',
      says: 'resources[1].args.paths: resources[0] has the path /dev/x* too',
    },
    {
      it: 'a container path of two resources',
      resources:
        '[{name: a.b/c, source: path-glob, args: {paths: [/dev/x], containerPath: /y}}, {name: a.b/d, source: path-glob, args: {paths: [/dev/z], containerPath: /y}}]',
      says: 'resources[1].args.containerPath: resources[0] has the container path /y too',
    },
  ])('refuses $it', ({ resources, says }) => {
    const loaded = load(resources)
    expect(loaded).toMatchObject({ kind: 'exit', code: 2, text: expect.stringContaining(says) })
  })
})
