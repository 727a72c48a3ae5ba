import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ConfigDefinition } from '@berth/process/config'
import { z } from 'zod'
import type { ObjectSchemas } from './definition/extended-resource-definition.ts'
import type { AppConfigs } from './values-schema.ts'

/** Configuration keys that the chart sets itself, because it decides on the files, ports and flags of a pod. */
const chartKeys = [
  'kubeconfig',
  'context',
  'once',
  'dryRun',
  'force',
  'retryCommand',
  'allowedNames',
  'refuseObjects',
  'owner',
  'from',
  'mode',
  'nodeName',
  'output',
  'healthAddress',
  'pluginDir',
  'eviction',
  'pluginsRegistry',
  'devicePluginDir',
  'nodeHelper',
  'podResources',
  'cdiDirectory',
  'cdiOwner',
  'podResourcesDirectory',
  'listen',
  'tlsCertFile',
  'tlsPrivateKeyFile',
  'clientCaFile',
  'insecureHttp',
  'insecureAnywhere',
  'bindLease',
  'namespace',
  'lease',
  'ownerConfigMap',
  'authoritySecret',
  'serverSecret',
  'serverName',
  'serverNames',
  'serverAddresses',
  'clientSecret',
  'clientName',
  'clientUsesHostFiles',
  'schedulerPods',
  'fromServerSecret',
  'fromClientSecret',
  'ignoredResources',
  'retrySignal',
]
/** The scheduler's Role names its Lease, so users cannot choose another one. */
const leaseKeys = ['resourceName', 'resourceNamespace']

/**
 * Returns the schemas of the apps' configuration files without the keys that the chart sets. Loads them by path,
 * because no package may import an app.
 *
 * @throws Error naming a file that lacks the expected export.
 */
export async function appConfigs(root: string): Promise<AppConfigs> {
  const config = async (app: string): Promise<z.ZodType> => {
    const definition = (await exported(root, `apps/${app}/src/config.ts`, 'configDefinition')) as ConfigDefinition
    return without(definition.fullSchema, chartKeys)
  }
  const shape = await exported(
    root,
    'packages/scheduler-config/src/kube-scheduler-configuration.ts',
    'kubeSchedulerConfiguration',
  )
  const scheduler = z.strictObject(shape as z.ZodRawShape)
  const election = scheduler.shape['leaderElection'] as z.ZodOptional<z.ZodObject>
  return {
    devicePlugin: await config('device-plugin'),
    extender: await config('extender'),
    authority: await config('authority'),
    advertiser: await config('advertiser'),
    eviction: without(
      (await exported(root, 'apps/advertiser/src/evict/eviction-config.ts', 'evictionSchema')) as z.ZodObject,
      ['lease'],
    ),
    scheduler: scheduler.extend({
      leaderElection: without(election.unwrap(), leaseKeys).optional().describe('Leader election among replicas.'),
    }),
  }
}

/** Returns the schemas of the arguments of the device plugin's built-in sources, by the name of the source. */
export async function sourceArgs(root: string): Promise<Readonly<Record<string, z.ZodType>>> {
  const sources = 'apps/device-plugin/src/sources'
  return {
    'path-glob': (await exported(root, `${sources}/path-glob/path-glob-args.ts`, 'pathGlobArgs')) as z.ZodType,
    count: (await exported(root, `${sources}/count/count-args.ts`, 'countArgs')) as z.ZodType,
  }
}

/** Returns the schemas of ExtendedResource objects. */
export async function objectSchemas(root: string): Promise<ObjectSchemas> {
  const folder = 'apps/advertiser/src/objects/definition'
  return {
    resource: (await exported(root, `${folder}/object-api.ts`, 'extendedResources')) as ObjectSchemas['resource'],
    spec: (await exported(root, `${folder}/spec-schema.ts`, 'specSchema')) as z.ZodType,
    status: (await exported(root, `${folder}/status-schema.ts`, 'statusSchema')) as z.ZodType,
  }
}

function without(schema: z.ZodObject, keys: readonly string[]): z.ZodObject {
  const shape = Object.entries<z.ZodType>(schema.shape)
  return z.strictObject(Object.fromEntries(shape.filter(([key]) => !keys.includes(key))))
}

async function exported(root: string, file: string, name: string): Promise<unknown> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(join(root, file)).href)) as Record<string, unknown>
  if (module[name] === undefined) throw new Error(`${file} does not export ${name}`)
  return module[name]
}
