import { extendedResourceName } from '@berth/plugin-api'
import { z } from 'zod'
import { extenderKeys } from './extender-keys.ts'
import { imageKeys } from './image-keys.ts'
import { containerResources, podTolerations, pullSecrets, roleSubjects, seLinuxOptions } from './kubernetes-keys.ts'
import { monitoringKeys } from './monitoring-keys.ts'
import { acrossApps, hasOneCaller, noOwnLabels } from './value-rules.ts'
import {
  closedNetworkPolicy,
  deploymentKeys,
  replicas,
  positivePodCount,
  schedulingPlugins,
  stringMap,
  workloadKeys,
} from './workload-keys.ts'

/** The schema of each app's configuration file, without the keys that the chart sets. */
export interface AppConfigs {
  readonly devicePlugin: z.ZodType
  readonly extender: z.ZodType
  readonly authority: z.ZodType
  readonly scheduler: z.ZodType
  readonly advertiser: z.ZodType
  readonly eviction: z.ZodType
}

/** A part of the names of objects. */
const NAME_OR_EMPTY = /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)?$/

/** The domain of a resource name. */
const DOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

const { plugins: _, ...evictionKeys } = workloadKeys
const { plugins: _plugins, ...authorityKeys } = deploymentKeys

/** An absolute path without `.` and `..`. Excludes the root directory, which would hide the container's own files. */
const hostDirectory = /^(?:\/(?:[^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+))+$/
const enabled = (what: string): z.ZodBoolean => z.boolean().describe(`Install ${what}.`)
const admissionPolicy = (description: string, further: z.ZodRawShape = {}): z.ZodObject =>
  z
    .strictObject({ enabled: z.boolean().describe('Create a ValidatingAdmissionPolicy.'), ...further })
    .describe(description)

/** Returns the schema of values.yaml with the description of every key. */
export function valuesSchema(configs: AppConfigs): z.ZodObject {
  return z
    .strictObject({
      global: z.looseObject({}).describe('Global values of a parent chart. Ignored.').optional(),
      enabled: z.boolean().optional().describe('Condition of a parent chart. Ignored.'),
      nameOverride: z.string().regex(NAME_OR_EMPTY).describe('Name to use instead of the name of the chart.'),
      fullnameOverride: z
        .string()
        .max(40)
        .regex(NAME_OR_EMPTY)
        .describe('Prefix of the names of all objects. Empty: derived from the release name.'),
      commonLabels: stringMap('Additional labels of every object.').meta(noOwnLabels),
      allowDefaultNamespace: z.boolean().describe('Allow an installation into the namespace default.'),
      managedControlPlane: z
        .boolean()
        .describe(
          'Declare that the control plane is managed by a provider. Settings that need access to it are refused.',
        ),
      image: imageKeys('Image that contains all apps. The default tag is the version of the chart.'),
      imagePullSecrets: pullSecrets('Secrets for pulling images: [{name: …}].'),
      extraObjects: z
        .array(z.union([z.string(), z.looseObject({})]))
        .describe('Additional objects to install. They may contain templates.'),
      devicePlugin: z
        .strictObject({
          enabled: enabled('the device plugin'),
          config: configs.devicePlugin.describe('Configuration of the app. Declare its resources here.'),
          kubeletDir: z
            .string()
            .regex(/^\/.*[^/]$/)
            .describe('Root directory of the kubelet on the nodes.'),
          hostPaths: z
            .array(z.string().regex(hostDirectory))
            .meta({ uniqueItems: true })
            .describe(
              'Directories of the node that device sources read, for example /dev. They are mounted read-only at the same path.',
            ),
          nodeHelper: z
            .strictObject({
              cdi: z
                .strictObject({
                  enabled: z.boolean().describe('Write CDI files, which resources with `cdi: true` need.'),
                  directory: z
                    .string()
                    .regex(/^\/.*[^/]$/)
                    .describe('Directory of CDI files on the nodes, which the container runtime reads.'),
                })
                .describe('CDI files.'),
              podResources: z
                .strictObject({
                  enabled: z
                    .boolean()
                    .describe(
                      'Ask the kubelet which container holds which device, for metrics and the detection of devices that two pods hold.',
                    ),
                })
                .describe('Pod resources of the kubelet.'),
              resources: containerResources('Resource requests and limits of the container.'),
            })
            .describe(
              'Second container of the pods, root without capabilities, for directories of the node that belong to root. It exists if one of its parts is enabled.',
            ),
          maxUnavailable: positivePodCount.describe(
            'Maximum number or percentage of nodes whose pod an update may replace at once. The new pod starts before the old one ends; with registration classic, afterwards.',
          ),
          seLinuxOptions: seLinuxOptions('SELinux context of the pods, for example {type: container_device_plugin_t}.'),
          ...workloadKeys,
          networkPolicy: closedNetworkPolicy,
        })
        .describe('Device plugin: discovers devices on every node and hands them out to containers.'),
      extender: z
        .strictObject({
          enabled: enabled('the extender'),
          config: configs.extender.describe('Configuration of the app, such as its scheduling plugins.'),
          ...extenderKeys,
        })
        .meta(hasOneCaller)
        .describe('Scheduler extender: filters and scores nodes for kube-scheduler.'),
      authority: z
        .strictObject({
          config: configs.authority.describe('Lifetimes of the certificates and of the authority.'),
          policy: admissionPolicy('Admission policy that limits the Secrets that the authority creates to its own.'),
          replicas,
          ...authorityKeys,
        })
        .describe(
          'Authority: issues and renews the certificates of the extender. Installed with extender.tls.mode authority.',
        ),
      scheduler: z
        .strictObject({
          enabled: enabled('the scheduler'),
          schedulerName: z
            .string()
            .min(1)
            .describe('schedulerName of the pods to schedule. Ignored if config has profiles.'),
          replacesKubeScheduler: z
            .boolean()
            .describe(
              "Schedule as default-scheduler and compete for kube-scheduler's own Lease, so that only one of them schedules.",
            ),
          flowSchema: z
            .strictObject({ enabled: z.boolean().describe('Create FlowSchemas.') })
            .describe("FlowSchemas that give the scheduler's requests the priority of kube-scheduler's."),
          policy: admissionPolicy(
            'Admission policy that limits the writes of the scheduler to the status of pods: conditions and nominations of its own profiles.',
          ),
          config: configs.scheduler.describe('KubeSchedulerConfiguration of the app: profiles, extenders, backoff.'),
          replicas,
          ...deploymentKeys,
          plugins: schedulingPlugins,
        })
        .describe('Scheduler: schedules the pods that name it.'),
      advertiser: z
        .strictObject({
          enabled: enabled('the advertiser'),
          mode: z
            .enum(['central', 'node'])
            .describe(
              'central: one pod writes all nodes. node: a pod on each node writes only that node, and may read its hardware.',
            ),
          node: z
            .strictObject({
              hostPaths: z
                .array(z.string().regex(hostDirectory))
                .meta({ uniqueItems: true })
                .describe(
                  'Directories of the node that sources read in addition to /sys, for example the fileSystem of disk-capacity. They are mounted read-only below /host.',
                ),
              maxUnavailable: positivePodCount.describe(
                'Maximum number or percentage of nodes whose pod an update may replace at once.',
              ),
              resources: containerResources(
                'Resource requests and limits of the container, instead of those of mode central.',
              ),
            })
            .describe('What only mode node uses.'),
          config: configs.advertiser.describe('Configuration of the app. Declare its resources here.'),
          policy: admissionPolicy(
            'Admission policies. They limit the writes of the advertiser, and of its withdrawal at an uninstall, to the resources that its configuration and objects may declare. They also limit which users may declare which resources in objects.',
            {
              names: z
                .array(extendedResourceName)
                .describe(
                  'Resource names that ExtendedResource objects may declare. Empty: only those that an administrator writes into the ConfigMap …-advertiser-names, at any time.',
                ),
              domains: z
                .array(z.string().regex(DOMAIN))
                .describe('Domains of resource names that objects may declare, for example lab.example.com.'),
              teams: z
                .array(
                  z.strictObject({
                    group: z.string().regex(/^\S+$/).describe('Group of users.'),
                    resource: z
                      .string()
                      .regex(/^\S+\/\S+$/)
                      .describe('Resource name, or a domain with /*.'),
                    nodes: z
                      .string()
                      .regex(/^\S+$/)
                      .describe(
                        'Name of a node, a label KEY=VALUE that the selector must require, or * for all nodes.',
                      ),
                  }),
                )
                .describe(
                  'Resources and nodes that users other than administrators may declare in objects. Administrators are those who may update the ConfigMap.',
                ),
            },
          ),
          ...deploymentKeys,
        })
        .describe('Advertiser: writes extended resources to the status of nodes.'),
      eviction: z
        .strictObject({
          enabled: enabled('the eviction of pods from unhealthy devices'),
          config: configs.eviction.describe(
            'When pods are evicted. `resources` adds to those of devicePlugin.config.resources.',
          ),
          ...evictionKeys,
        })
        .describe('Eviction: evicts pods that hold a device which stays Unhealthy, so that they start elsewhere.'),
      crds: z
        .strictObject({
          enabled: z
            .boolean()
            .describe(
              'Install the CustomResourceDefinition of ExtendedResource, if advertiser.config.watchObjects is true.',
            ),
          keep: z.boolean().describe('Keep the definition, and with it all objects, at helm uninstall.'),
        })
        .describe('Definition of ExtendedResource objects.'),
      cli: z
        .strictObject({
          enabled: enabled('the ClusterRole of kubectl-berth'),
          subjects: roleSubjects('Users, groups and ServiceAccounts to bind to the role, as in a ClusterRoleBinding.'),
          survey: z
            .boolean()
            .describe(
              'Also let the role list everything that `kubectl berth extensions` and `doctor` survey: webhooks, aggregated APIs, CustomResourceDefinitions, roles and their bindings, RuntimeClasses, ResourceSlices and ResourceClaims.',
            ),
        })
        .describe('Read permissions for kubectl-berth.'),
      ...monitoringKeys,
      uninstall: z
        .strictObject({
          enabled: z
            .boolean()
            .describe('Clean up at helm uninstall: withdraw advertised resources and remove the socket directories.'),
          force: z.boolean().describe('Uninstall even while running pods hold resources that Berth provides.'),
          nodeSelector: stringMap('Node labels required to run the cleanup pods. Empty: advertiser.nodeSelector.'),
          tolerations: podTolerations('Tolerations of the cleanup pods. Empty: advertiser.tolerations.'),
          resources: containerResources('Resource requests and limits of the cleanup pods.'),
        })
        .describe('Cleanup at helm uninstall.'),
      test: z
        .strictObject({
          enabled: z.boolean().describe('Create the pods of helm test.'),
          timeoutSeconds: z.int().min(5).describe('Timeout of each test pod in seconds.'),
          nodeSelector: stringMap('Node labels required to run the test pods.'),
          tolerations: podTolerations(
            'Tolerations of the test pods, for example for the taints of the nodes with your devices.',
          ),
          resources: z
            .array(
              z.strictObject({
                name: z
                  .string()
                  .regex(/^[^/\s]+\/[^/\s]+$/)
                  .describe('Name of an extended resource.'),
                source: z.enum(['device-plugin', 'advertiser']).describe('App that offers the resource.'),
              }),
            )
            .describe('Extended resources for the test pods to request. Empty: the first resource of each app.'),
        })
        .describe('Pods of helm test.'),
    })
    .meta(acrossApps)
}
