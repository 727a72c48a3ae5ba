import { Server, ServerCredentials, credentials } from '@grpc/grpc-js'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  AllocateResponse,
  ContainerPreferredAllocationRequest,
  Device,
  DevicePluginClient,
  DevicePluginOptions,
  DevicePluginService,
  PluginInfo,
  PodResources,
  PodResourcesListerService,
  RegisterRequest,
  RegistrationService,
  RegistrationStatus,
  WatcherRegistrationService,
} from './index.ts'

/** A length-delimited field: tag, length, ASCII text. */
const text = (field: number, value: string): number[] => [field * 8 + 2, value.length, ...Buffer.from(value)]
const nested = (field: number, bytes: readonly number[]): number[] => [field * 8 + 2, bytes.length, ...bytes]
const varint = (field: number, value: number): number[] => [field * 8, value]
const bytesOf = (writer: { finish(): Uint8Array }): number[] => [...writer.finish()]

describe('the messages on the wire', () => {
  test('RegisterRequest numbers version, endpoint, resource and options 1 to 4', () => {
    const options = DevicePluginOptions.create({ preStartRequired: true, getPreferredAllocationAvailable: true })
    const message = RegisterRequest.create({ version: 'v1beta1', endpoint: 'a.sock', resourceName: 'x/y', options })
    expect(bytesOf(RegisterRequest.encode(message))).toEqual([
      ...text(1, 'v1beta1'),
      ...text(2, 'a.sock'),
      ...text(3, 'x/y'),
      ...nested(4, [...varint(1, 1), ...varint(2, 1)]),
    ])
  })

  test('Device decodes a NUMA node under topology', () => {
    const bytes = [...text(1, 'd0'), ...text(2, 'Healthy'), ...nested(3, nested(1, varint(1, 1)))]
    expect(Device.decode(Uint8Array.from(bytes))).toEqual({
      ID: 'd0',
      health: 'Healthy',
      topology: { nodes: [{ ID: 1 }] },
    })
  })

  test('AllocateResponse numbers envs, mounts, devices, annotations and CDI names 1 to 5', () => {
    const message = AllocateResponse.create({
      containerResponses: [
        {
          envs: { E: 'v' },
          mounts: [{ containerPath: '/c', hostPath: '/h', readOnly: true }],
          devices: [{ containerPath: '/c', hostPath: '/h', permissions: 'rw' }],
          annotations: { A: 'v' },
          cdiDevices: [{ name: 'v/c=d' }],
        },
      ],
    })
    const container = [
      ...nested(1, [...text(1, 'E'), ...text(2, 'v')]),
      ...nested(2, [...text(1, '/c'), ...text(2, '/h'), ...varint(3, 1)]),
      ...nested(3, [...text(1, '/c'), ...text(2, '/h'), ...text(3, 'rw')]),
      ...nested(4, [...text(1, 'A'), ...text(2, 'v')]),
      ...nested(5, text(1, 'v/c=d')),
    ]
    expect(bytesOf(AllocateResponse.encode(message))).toEqual(nested(1, container))
  })

  test('a preferred allocation request numbers available, must-include and size 1 to 3', () => {
    const message = { availableDeviceIDs: ['a'], mustIncludeDeviceIDs: ['b'], allocationSize: 2 }
    expect(bytesOf(ContainerPreferredAllocationRequest.encode(message))).toEqual([
      ...text(1, 'a'),
      ...text(2, 'b'),
      ...varint(3, 2),
    ])
  })

  test('PluginInfo and RegistrationStatus use the field numbers of the upstream table', () => {
    const info = { type: 'T', name: 'n', endpoint: 'e', supportedVersions: ['v'] }
    expect(bytesOf(PluginInfo.encode(info))).toEqual([
      ...text(1, 'T'),
      ...text(2, 'n'),
      ...text(3, 'e'),
      ...text(4, 'v'),
    ])
    expect(bytesOf(RegistrationStatus.encode({ pluginRegistered: true, error: 'e' }))).toEqual([
      ...varint(1, 1),
      ...text(2, 'e'),
    ])
  })

  test('PodResources skips unknown newer fields', () => {
    const bytes = [...text(1, 'p'), ...text(2, 'ns'), ...varint(4, 7), ...nested(3, text(1, 'c'))]
    expect(PodResources.decode(Uint8Array.from(bytes))).toMatchObject({
      name: 'p',
      namespace: 'ns',
      containers: [{ name: 'c', devices: [] }],
    })
  })

  test('method paths use the package names of the kubelet', () => {
    const paths = [RegistrationService, DevicePluginService, WatcherRegistrationService, PodResourcesListerService].map(
      (service) => Object.values(service).map((method) => method.path),
    )
    expect(paths.map(([first]) => first)).toEqual([
      '/v1beta1.Registration/Register',
      '/v1beta1.DevicePlugin/GetDevicePluginOptions',
      '/pluginregistration.Registration/GetInfo',
      '/v1.PodResourcesLister/List',
    ])
    expect(paths.map((list) => list.length)).toEqual([1, 5, 2, 3])
  })
})

test('a client calls a service over a unix socket', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ka-'))
  const server = new Server()
  const unused = (): never => {
    throw new Error('not called in this test')
  }
  server.addService(DevicePluginService, {
    getDevicePluginOptions: (_call: unknown, callback: (error: null, options: DevicePluginOptions) => void) => {
      callback(null, { preStartRequired: false, getPreferredAllocationAvailable: true })
    },
    listAndWatch: unused,
    getPreferredAllocation: unused,
    allocate: unused,
    preStartContainer: unused,
  })
  const address = `unix://${join(dir, 's.sock')}`
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()))
  })
  const client = new DevicePluginClient(address, credentials.createInsecure())
  try {
    const options = await new Promise<DevicePluginOptions>((resolve, reject) => {
      client.getDevicePluginOptions({}, (error, answer) => (error ? reject(error) : resolve(answer)))
    })
    expect(options).toEqual({ preStartRequired: false, getPreferredAllocationAvailable: true })
  } finally {
    client.close()
    server.forceShutdown()
    await rm(dir, { recursive: true, force: true })
  }
})
