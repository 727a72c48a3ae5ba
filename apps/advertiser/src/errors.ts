import { ConfigError } from '@berth/process/config'
import { BerthError, type ErrorDescription } from '@berth/types'

/** A node does not match the configuration, or its resources could not be withdrawn. */
export class AdvertiseError extends BerthError {}

/** A resource source plugin returned a value that is not a valid amount. */
export class SourceError extends BerthError {}

/** Creates the error of a process that must stop because it no longer holds the Lease of its installation. */
export function leaseLostError(owner: string): AdvertiseError {
  return new AdvertiseError(`hold the Lease ${owner}: it was lost, or could not be renewed`, {
    code: 'BERTH_ADVERTISER_LEASE_LOST',
    retryable: true,
    hint: 'Nothing to do: the process restarts and waits for the Lease.',
  })
}

/** Creates the error of a cluster that does not serve ExtendedResource objects. */
export function definitionMissingError(cause: unknown): AdvertiseError {
  return new AdvertiseError(
    'read ExtendedResource objects: the CustomResourceDefinition extendedresources.berth.dev is not installed',
    {
      code: 'BERTH_ADVERTISER_DEFINITION_MISSING',
      retryable: true,
      cause,
      hint: 'Install it: the chart does with crds.enabled=true, or apply charts/berth/files/extended-resource-definition.yaml. Without objects, set watchObjects=false.',
    },
  )
}

/** Creates the error of an eviction without resources. */
export function noResourcesError(): ConfigError {
  return new ConfigError('evict pods: eviction.resources is empty, so no pod would ever be evicted', {
    code: 'BERTH_ADVERTISER_CONFIG_EVICTION',
    hint: 'List the resources of your device plugins in eviction.resources.',
  })
}

/** Every error code of the advertiser. */
export const advertiserErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_ADVERTISER_INCOMPLETE',
    meaning:
      'One pass (--once) ended and some nodes do not match the configuration, or prune could not withdraw everything.',
    action: 'Read the warnings above the error: each names the node, the resource and the reason.',
  },
  {
    code: 'BERTH_ADVERTISER_FOREIGN_OWNER',
    meaning: 'The resources on the nodes belong to another installation of Berth, so that this one changes nothing.',
    action:
      'Run the command as the installation that the message names (--owner), or take its resources over with adopt --from after it has stopped.',
  },
  {
    code: 'BERTH_ADVERTISER_LEASE_HELD',
    meaning: 'Another process of the same installation is running, and would undo what this command writes.',
    action: 'Stop the process that the message names, or name your own installation with --owner.',
  },
  {
    code: 'BERTH_ADVERTISER_LEASE_LOST',
    meaning: 'This process lost its Lease, or could not renew it, so that another one may write.',
    action:
      'Nothing: the process restarts and waits for the Lease. If it happens often, check the connection to the API server.',
  },
  {
    code: 'BERTH_ADVERTISER_CONFIG_MODE',
    meaning:
      'A key does not fit the mode of the advertiser: mode node needs nodeName and takes no objects, and only in mode node may a source read its host.',
    action: 'Change the key that the message names, or the mode.',
  },
  {
    code: 'BERTH_ADVERTISER_CONFIG_FOREIGN_NODE',
    meaning: 'A process in mode node was told to act on another node than the one that its token belongs to.',
    action: 'Run the command in the pod on that node, or in mode central with the kubeconfig of an administrator.',
  },
  {
    code: 'BERTH_ADVERTISER_CONTENDED',
    meaning: 'A node changed between reading and writing it, during every attempt.',
    action:
      'Nothing: the advertiser retries later. If the error stays, find the other writer with `kubectl get node NAME --show-managed-fields -o yaml`.',
  },
  {
    code: 'BERTH_ADVERTISER_DEFINITION_MISSING',
    meaning: 'The advertiser watches ExtendedResource objects, and the cluster does not serve them.',
    action: 'Install the CustomResourceDefinition, or set watchObjects to false. The error says how.',
  },
  {
    code: 'BERTH_ADVERTISER_OBJECTS_EXIST',
    meaning:
      'The uninstall would delete the definition of ExtendedResource and with it all objects, so it was refused.',
    action: 'Delete the objects first, or keep the definition with crds.keep=true.',
  },
  {
    code: 'BERTH_ADVERTISER_CONFIG_EVICTION',
    meaning: 'The command evict has no resource for whose devices it may evict pods.',
    action: 'List the resources of your device plugins in eviction.resources.',
  },
  {
    code: 'BERTH_ADVERTISER_IN_USE',
    meaning: 'prune would withdraw resources that running pods still use, so it changed nothing.',
    action: 'Delete the pods that the message names, or pass --force.',
  },
  {
    code: 'BERTH_ADVERTISER_MIGRATE',
    meaning:
      'migrate cannot express a declared resource as devices: too many units on a node, or a name that is too long.',
    action: 'Keep the resource as an extended resource, or write its ResourceSlices in your DRA driver.',
  },
  {
    code: 'BERTH_ADVERTISER_SOURCE_ANSWER',
    meaning: 'A resource source returned a negative number, more than 2^63-1, or NaN.',
    action:
      'Fix what the source reads, or set min or max of the source. Until then the node keeps its last amount, for keepSeconds if it is set.',
  },
]
