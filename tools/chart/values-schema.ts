import { z } from 'zod'
import { extenderKeys } from './extender-keys.ts'
import { imageKeys } from './image-keys.ts'
import { containerResources, podTolerations, pullSecrets, roleSubjects, seLinuxOptions } from './kubernetes-keys.ts'
import { acrossApps, hasOneCaller, noOwnLabels } from './value-rules.ts'
import { deploymentKeys, replicas, somePods, texts, workloadKeys } from './workload-keys.ts'

/** The configuration file of each app, as the chart lets it be written. */
export interface AppConfigs {
  readonly devicePlugin: z.ZodType
  readonly extender: z.ZodType
  readonly scheduler: z.ZodType
  readonly advertiser: z.ZodType
}

/** An absolute path without `.` and `..`, and not the root, which would cover the container's own files. */
const folderOfNode = /^(?:\/(?:[^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+))+$/
const enabled = z.boolean().describe('Whether it is installed.')

/** values.yaml of the chart: what may stand in it, and what it means. */
export function valuesSchema(configs: AppConfigs): z.ZodObject {
  return z
    .strictObject({
      global: z.looseObject({}).describe('Values of a parent chart; not read.').optional(),
      enabled: z.boolean().optional().describe('For the condition of a parent chart; not read.'),
      nameOverride: z.string().describe('Instead of the name of the chart.'),
      fullnameOverride: z
        .string()
        .max(40)
        .describe('What the names of all objects begin with; empty: from the release.'),
      commonLabels: texts('Additional labels of every object.').meta(noOwnLabels),
      allowDefaultNamespace: z.boolean().describe('Whether the namespace default is accepted.'),
      managedControlPlane: z
        .boolean()
        .describe('Whether the control plane belongs to somebody else; refuses what needs it.'),
      image: imageKeys('The image that holds all apps; the tag is the version of the chart.'),
      imagePullSecrets: pullSecrets('Secrets for pulling images: [{name: …}].'),
      extraObjects: z
        .array(z.union([z.string(), z.looseObject({})]))
        .describe('Further objects of yours; templates in them are rendered.'),
      devicePlugin: z
        .strictObject({
          enabled,
          config: configs.devicePlugin.describe('Configuration of the app: its resources first of all.'),
          kubeletDir: z
            .string()
            .regex(/^\/.*[^/]$/)
            .describe('Root directory of the kubelets.'),
          hostPaths: z
            .array(z.string().regex(folderOfNode))
            .meta({ uniqueItems: true })
            .describe(
              'Folders of the node that sources look into, mounted read-only at the same path: /dev for devices.',
            ),
          maxUnavailable: somePods.describe('Nodes whose pod an update may replace at a time.'),
          seLinuxOptions: seLinuxOptions('SELinux context of the pods, for example {type: container_device_plugin_t}.'),
          ...workloadKeys,
        })
        .describe('Hands devices out, on every node.'),
      extender: z
        .strictObject({
          enabled,
          config: configs.extender.describe('Configuration of the app: its plugins first of all.'),
          ...extenderKeys,
        })
        .meta(hasOneCaller)
        .describe('Judges nodes for a kube-scheduler.'),
      scheduler: z
        .strictObject({
          enabled,
          schedulerName: z
            .string()
            .min(1)
            .describe('Pods that name it are placed by Berth, where config has no profiles.'),
          config: configs.scheduler.describe('KubeSchedulerConfiguration: profiles, extenders, backoff.'),
          replicas,
          ...deploymentKeys,
        })
        .describe('Places pods itself.'),
      advertiser: z
        .strictObject({
          enabled,
          config: configs.advertiser.describe('Configuration of the app: its resources first of all.'),
          policy: z
            .strictObject({
              enabled: z
                .boolean()
                .describe('Whether a ValidatingAdmissionPolicy limits what the advertiser may write.'),
            })
            .describe('Its writes go to names that its configuration declares, and nowhere else.'),
          ...deploymentKeys,
        })
        .describe('Puts extended resources on nodes.'),
      cli: z
        .strictObject({ enabled, subjects: roleSubjects('Subjects that get the rights, as in a ClusterRoleBinding.') })
        .describe('What kubectl-berth may read.'),
      podMonitor: z
        .strictObject({
          enabled: z.boolean().describe('Whether there is a PodMonitor; wants the operator of Prometheus.'),
          interval: z
            .string()
            .regex(/^\d+(?:ms|s|m|h)$/)
            .describe('How often the metrics are read.'),
          labels: texts('Additional labels by which your Prometheus finds it.').meta(noOwnLabels),
        })
        .describe('Metrics of the apps for Prometheus.'),
      uninstall: z
        .strictObject({
          enabled: z
            .boolean()
            .describe('Whether an uninstall takes back what was advertised, and the socket directories.'),
          force: z.boolean().describe('Whether it does so although running pods hold something.'),
          nodeSelector: texts('Labels of nodes that its pods may run on; empty: that of the advertiser.'),
          tolerations: podTolerations('Taints that its pods tolerate; empty: those of the advertiser.'),
          resources: containerResources('Requests and limits of its pods.'),
        })
        .describe('What happens at helm uninstall.'),
      test: z
        .strictObject({
          enabled: z.boolean().describe('Whether there are pods for helm test.'),
          timeoutSeconds: z.int().min(5).describe('When a pod that has not ended by then is a failure.'),
          nodeSelector: texts('Labels of nodes that its pods may run on.'),
          tolerations: podTolerations('Taints that its pods tolerate: those of the nodes with your devices.'),
          resources: z
            .array(
              z.strictObject({
                name: z
                  .string()
                  .regex(/^[^/\s]+\/[^/\s]+$/)
                  .describe('Extended resource.'),
                source: z.enum(['device-plugin', 'advertiser']).describe('Which app offers it.'),
              }),
            )
            .describe('What its pods ask for; empty: the first resource of each app.'),
        })
        .describe('helm test.'),
    })
    .meta(acrossApps)
}
