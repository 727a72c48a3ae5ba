import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { podTemplates } from './chart-object.ts'
import { chartDir, refusal, render } from './render.ts'

describe('configurations that would install but not work', () => {
  const dongle = { name: 'example.com/dongle', source: 'count', args: { count: 1 } }
  test.for([
    {
      it: 'the namespace default',
      namespace: 'default',
      values: {},
      says: 'install with --namespace berth-system --create-namespace',
    },
    {
      it: 'a resource that kube-scheduler ignores without the bind verb',
      values: { extender: { managedResources: [{ name: 'example.com/seat', ignoredByScheduler: true }] } },
      says: 'extender.managedResources makes kube-scheduler ignore example.com/seat, and without the bind verb two pods could get its last unit: set extender.config.bind=true',
    },
    {
      it: 'the bind verb behind a Service with two replicas',
      values: {
        extender: {
          replicas: 2,
          config: { bind: true },
          kubeScheduler: { enabled: false },
          service: { enabled: true },
        },
      },
      says: 'only the holder of the Lease binds, and the Service sends calls to all replicas: set extender.replicas=1',
    },
    {
      it: 'a resource with CDI devices that nothing describes',
      values: { devicePlugin: { config: { resources: [{ ...dongle, cdi: true }] } } },
      says: 'example.com/dongle has cdi, but no container writes CDI files: set devicePlugin.nodeHelper.cdi.enabled=true, or remove cdi',
    },
    {
      it: 'paths that are not mounted in the container',
      values: {
        devicePlugin: {
          hostPaths: ['/dev/bus'],
          config: {
            resources: [{ ...dongle, source: 'path-glob', args: { paths: ['/dev/bus/usb/*', '/dev/ttyUSB*'] } }],
          },
        },
      },
      says: 'example.com/dongle looks for /dev/ttyUSB*, which is not mounted in the container of the device plugin: add a parent directory to devicePlugin.hostPaths',
    },
    {
      it: 'a health file of counted devices that is not mounted in the container',
      values: {
        devicePlugin: {
          hostPaths: ['/run/seat'],
          config: { resources: [{ ...dongle, args: { count: 1, healthFile: '/run/seats/health' } }] },
        },
      },
      says: 'example.com/dongle reads its health from /run/seats/health, which is not mounted in the container of the device plugin',
    },
    {
      it: 'a health file of discovered devices that is not mounted in the container',
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
      says: 'reads its health from /run/health/{name}, which is',
    },
    {
      it: 'a source of hardware without the device nodes',
      values: {
        devicePlugin: { hostPaths: ['/etc/cdi'], config: { resources: [{ ...dongle, source: 'amd-gpu', args: {} }] } },
      },
      says: 'example.com/dongle looks for device nodes in /dev, which is not mounted in the container of the device plugin',
    },
    {
      it: 'a source of hardware whose hostRoot is not mounted',
      values: {
        devicePlugin: {
          hostPaths: ['/dev'],
          config: {
            resources: [
              { ...dongle, source: 'path-groups', args: { paths: [{ path: '/dev/a{key}' }], hostRoot: '/host/' } },
            ],
          },
        },
      },
      says: 'example.com/dongle looks for /host/dev/a{key}, which is not mounted',
    },
    {
      it: 'cert-manager in a cluster without it',
      values: { extender: { tls: { mode: 'cert-manager' } } },
      says: 'install cert-manager first',
    },
    {
      it: 'two schedulers with one schedulerName',
      values: { extender: { schedulerName: 'berth-scheduler' } },
      says: 'which would race for the same pods',
    },
    {
      it: 'the schedulerName of the cluster’s own kube-scheduler',
      values: { scheduler: { schedulerName: 'default-scheduler' } },
      says: 'choose another name',
    },
    {
      it: 'default-scheduler without leader election',
      values: { scheduler: { replacesKubeScheduler: true, config: { leaderElection: { leaderElect: false } } } },
      says: 'scheduler.replacesKubeScheduler needs leader election',
    },
    {
      it: 'two replicas of the scheduler without leader election',
      values: { scheduler: { replicas: 2, config: { leaderElection: { leaderElect: false } } } },
      says: 'scheduler.replicas is 2 without leader election, and the replicas would over-commit nodes: remove scheduler.config.leaderElection.leaderElect, or set scheduler.replicas=1',
    },
    {
      it: 'a resource that is both served and advertised',
      values: {
        devicePlugin: { config: { resources: [dongle] } },
        advertiser: { config: { resources: [{ name: dongle.name, units: 1, nodes: { selector: {} } }] } },
      },
      says: 'is served by the device plugin and advertised as well',
    },
    {
      it: 'an image volume on a Kubernetes that disables them by default',
      kubeVersion: '1.34.2',
      values: { scheduler: { plugins: { volume: { image: { reference: 'registry.example.com/my-plugins:1.0.0' } } } } },
      says: 'scheduler.plugins.volume is an image, and Kubernetes v1.34.2 disables image volumes by default (1.35 enables them)',
    },
    {
      it: 'plugins in a volume and in the image',
      values: { advertiser: { plugins: { inImage: true, volume: { configMap: { name: 'my-plugins' } } } } },
      says: 'advertiser.plugins has both inImage and a volume, and the volume would hide the directory of the image: remove one of them',
    },
  ])('refuses $it', async ({ values, says, namespace = 'berth-system', kubeVersion = '1.36.3' }) => {
    const text = await refusal({ values, namespace, flags: ['--kube-version', kubeVersion] })
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
      // Loaded by path, because no package may import an app.
      const { href } = pathToFileURL(join(chartDir, '../../apps/device-plugin/src/registration/socket-directory.ts'))
      const { newSocketPath } = (await import(/* @vite-ignore */ href)) as {
        readonly newSocketPath: (directory: object, resourceName: string, random: () => number) => string
      }
      const socket = newSocketPath({ path, flag: '' }, 'example.com/dongle', () => 1 - Number.EPSILON)
      expect(Buffer.byteLength(socket)).toBe(107)
      expect(await refusal({ ...options, values: { devicePlugin: devicePlugin(longest + 1) } })).toContain(
        'would have 108 bytes, and the limit for unix sockets is 107: shorten the directory by 1',
      )
    },
  )

  test('accepts a health file in a mounted extra volume', async () => {
    const devicePlugin = {
      extraVolumes: [{ name: 'health', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'health', mountPath: '/run/seats' }],
      config: { resources: [{ ...dongle, args: { count: 1, healthFile: '/run/seats/health' } }] },
    }
    expect(await render({ profile: 'device-plugin-only', values: { devicePlugin } })).not.toEqual([])
  })

  test('reports several problems at once', async () => {
    const values = { extender: { schedulerName: 'berth-scheduler' } }
    const text = await refusal({ namespace: 'default', values })
    expect(text.match(/^ {2}- /gm)).toHaveLength(2)
  })
})

describe('configurations that the values schema refuses', () => {
  const dongle = { name: 'example.com/dongle', source: 'count', args: { count: 1 } }
  const advertised = (more: object) => ({
    advertiser: { config: { resources: [{ name: 'example.com/seat', units: 1, nodes: { selector: {} }, ...more }] } },
  })
  test.for([
    {
      it: 'a volume of plugins with two sources',
      values: { scheduler: { plugins: { volume: { configMap: { name: 'a' }, secret: { secretName: 'b' } } } } },
      says: "at '/scheduler/plugins/volume': maxProperties: got 2, want 1",
    },
    {
      it: 'an image volume without a reference',
      values: { scheduler: { plugins: { volume: { image: { pullPolicy: 'Always' } } } } },
      says: "at '/scheduler/plugins/volume/image': missing property 'reference'",
    },
    {
      it: 'two callers of the extender',
      values: { extender: { service: { enabled: true } } },
      says: "at '/extender/service/enabled': value must be false",
    },
    {
      it: 'an extender without a caller',
      values: { extender: { kubeScheduler: { enabled: false } } },
      says: "at '/extender/service/enabled': value must be true",
    },
    {
      it: 'a Service for the kube-scheduler of a managed control plane',
      values: {
        managedControlPlane: true,
        extender: { kubeScheduler: { enabled: false }, service: { enabled: true } },
      },
      says: "at '/extender/service/enabled': value must be false",
    },
    {
      it: 'default-scheduler for the kube-scheduler beside the extender',
      values: { extender: { schedulerName: 'default-scheduler' } },
      says: "at '/extender/schedulerName'",
    },
    {
      it: 'existing certificates without the names of their Secrets',
      values: { extender: { tls: { mode: 'existing' } } },
      says: "at '/extender/tls/clientSecretName': minLength",
    },
    {
      it: 'a label that the chart sets itself on every object',
      values: { commonLabels: { 'app.kubernetes.io/name': 'x' } },
      says: "at '/commonLabels/app.kubernetes.io~1name'",
    },
    {
      it: 'a label that the chart sets itself on pods',
      values: { scheduler: { podLabels: { 'app.kubernetes.io/component': 'x' } } },
      says: "at '/scheduler/podLabels/app.kubernetes.io~1component'",
    },
    {
      it: 'a native resource of the device plugin',
      values: { devicePlugin: { config: { resources: [{ ...dongle, name: 'cpu' }] } } },
      says: "at '/devicePlugin/config/resources/0/name': 'cpu' does not match pattern",
    },
    {
      it: 'a native resource of the advertiser',
      values: { advertiser: { config: { resources: [{ name: 'cpu', units: 1, nodes: { selector: {} } }] } } },
      says: "at '/advertiser/config/resources/0/name': 'cpu' does not match pattern",
    },
    {
      it: 'a resource of the domain kubernetes.io',
      values: { devicePlugin: { config: { resources: [{ ...dongle, name: 'kubernetes.io/x' }] } } },
      says: "at '/devicePlugin/config/resources/0/name': 'not' failed",
    },
    {
      it: 'nodes by names and by selector',
      values: advertised({ nodes: { names: ['a'], selector: {} } }),
      says: "at '/advertiser/config/resources/0/nodes': 'oneOf' failed",
    },
    {
      it: 'nodes neither by names nor by selector',
      values: advertised({ nodes: {} }),
      says: "at '/advertiser/config/resources/0/nodes': 'oneOf' failed",
    },
    {
      it: 'units and a source of units',
      values: advertised({ source: { plugin: 'seats' } }),
      says: "at '/advertiser/config/resources/0': 'oneOf' failed",
    },
    {
      it: 'a label condition without values',
      values: advertised({ nodes: { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } }),
      says: "at '/advertiser/config/resources/0/nodes/selector/matchExpressions/0",
    },
    {
      it: 'a name that a shell would run',
      values: { fullnameOverride: 'x; touch X' },
      says: "at '/fullnameOverride': 'x; touch X' does not match pattern",
    },
  ])('refuses $it', async ({ values, says }) => {
    expect(await refusal({ profile: 'full', values })).toContain(says)
  })
})
