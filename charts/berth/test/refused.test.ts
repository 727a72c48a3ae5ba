import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { podTemplates } from './chart-object.ts'
import { chartDir, refusal, render } from './render.ts'

describe('what would install and then not work is refused, with what to do', () => {
  const dongle = { name: 'example.com/dongle', source: 'count', args: { count: 1 } }
  test.for([
    {
      it: 'the namespace default',
      namespace: 'default',
      values: {},
      says: 'install with --namespace berth-system --create-namespace',
    },
    {
      it: 'paths that the container does not see',
      values: {
        devicePlugin: {
          hostPaths: ['/dev/bus'],
          config: {
            resources: [{ ...dongle, source: 'path-glob', args: { paths: ['/dev/bus/usb/*', '/dev/ttyUSB*'] } }],
          },
        },
      },
      says: 'example.com/dongle looks for /dev/ttyUSB*, which the device plugin’s container does not see: add a folder above it to devicePlugin.hostPaths'.replaceAll(
        '’',
        "'",
      ),
    },
    {
      it: 'a health file of counted devices that the container does not see',
      values: {
        devicePlugin: {
          hostPaths: ['/run/seat'],
          config: { resources: [{ ...dongle, args: { count: 1, healthFile: '/run/seats/health' } }] },
        },
      },
      says: "example.com/dongle reads its health from /run/seats/health, which the device plugin's container does not see",
    },
    {
      it: 'a health file of found devices that the container does not see',
      values: {
        devicePlugin: {
          hostPaths: ['/dev'],
          config: {
            resources: [
              { ...dongle, source: 'path-glob', args: { paths: ['/dev/ttyUSB*'], healthFile: '/run/health/{name}' } },
            ],
          },
        },
      },
      says: 'reads its health from /run/health/{name}, which the',
    },
    {
      it: 'both wirings',
      values: { extender: { service: { enabled: true } } },
      says: 'extender.kubeScheduler.enabled and extender.service.enabled are two ways to be called',
    },
    {
      it: 'no wiring',
      values: { extender: { kubeScheduler: { enabled: false } } },
      says: 'nobody could call the extender: set',
    },
    {
      it: 'a Service for the kube-scheduler of a managed control plane',
      values: {
        managedControlPlane: true,
        extender: { kubeScheduler: { enabled: false }, service: { enabled: true } },
      },
      says: 'nobody can tell the kube-scheduler of a managed control plane of an extender',
    },
    {
      it: 'own certificates without names',
      values: { extender: { tls: { mode: 'existing' } } },
      says: 'name your Secrets in extender.tls.serverSecretName',
    },
    {
      it: 'cert-manager where there is none',
      values: { extender: { tls: { mode: 'cert-manager' } } },
      says: 'install cert-manager first',
    },
    {
      it: 'two schedulers for one name',
      values: { extender: { schedulerName: 'berth-scheduler' } },
      says: 'which would race for its pods',
    },
    {
      it: 'the name of the cluster’s own scheduler',
      values: { scheduler: { schedulerName: 'default-scheduler' } },
      says: 'choose another name',
    },
    {
      it: 'a label of the chart’s own, for all objects',
      values: { commonLabels: { 'app.kubernetes.io/name': 'x' } },
      says: 'commonLabels has app.kubernetes.io/name, which the chart sets itself',
    },
    {
      it: 'a label of the chart’s own, for pods',
      values: { scheduler: { podLabels: { 'app.kubernetes.io/component': 'x' } } },
      says: 'scheduler.podLabels has app.kubernetes.io/component',
    },
    {
      it: 'a name that is handed out and advertised',
      values: {
        devicePlugin: { config: { resources: [dongle] } },
        advertiser: { config: { resources: [{ name: dongle.name, units: 1, nodes: { selector: {} } }] } },
      },
      says: 'is both handed out by the device plugin and advertised',
    },
  ])('$it', async ({ values, says, namespace = 'berth-system' }) => {
    const text = await refusal({ values, namespace })
    expect(text).toContain('Berth cannot be installed like this:')
    expect(text).toContain(says)
  })

  test.for([
    { registration: 'watcher', longest: 44 },
    { registration: 'classic', longest: 61 },
  ])(
    'the longest directory of a kubelet for $registration has $longest bytes: sockets take 107',
    async ({ registration, longest }) => {
      const devicePlugin = (bytes: number) => ({ kubeletDir: `/${'k'.repeat(bytes - 1)}`, config: { registration } })
      const options = { profile: 'device-plugin-only', release: 'r'.repeat(53), namespace: 'n'.repeat(63) } as const
      const objects = await render({ ...options, values: { devicePlugin: devicePlugin(longest) } })
      const sockets = podTemplates(objects)
        .flatMap(({ spec }) => spec.volumes ?? [])
        .find(({ name }) => name === 'sockets')
      const { path } = (sockets?.['hostPath'] ?? { path: '' }) as { readonly path: string }
      // By path: nobody imports an app.
      const { href } = pathToFileURL(join(chartDir, '../../apps/device-plugin/src/registration/socket-directory.ts'))
      const { newSocketPath } = (await import(/* @vite-ignore */ href)) as {
        readonly newSocketPath: (directory: object, resourceName: string, random: () => number) => string
      }
      const socket = newSocketPath({ path, flag: '' }, 'example.com/dongle', () => 1 - Number.EPSILON)
      expect(Buffer.byteLength(socket)).toBe(107)
      expect(await refusal({ ...options, values: { devicePlugin: devicePlugin(longest + 1) } })).toContain(
        'would have a path of 108 bytes, and a unix socket takes 107: shorten the directory by 1',
      )
    },
  )

  test('what a volume of your own brings is seen', async () => {
    const devicePlugin = {
      extraVolumes: [{ name: 'health', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'health', mountPath: '/run/seats' }],
      config: { resources: [{ ...dongle, args: { count: 1, healthFile: '/run/seats/health' } }] },
    }
    expect(await render({ profile: 'device-plugin-only', values: { devicePlugin } })).not.toEqual([])
  })

  test('several faults are told at once', async () => {
    const text = await refusal({ namespace: 'default', values: { extender: { service: { enabled: true } } } })
    expect(text.match(/^ {2}- /gm)).toHaveLength(2)
  })
})
