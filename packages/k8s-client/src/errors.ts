import type { ErrorDescription } from '@berth/types'

/** Every error code of this package. */
export const k8sClientErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_KUBECONFIG_MISSING',
    meaning: 'No kubeconfig could be found or read, and the process does not run in a pod.',
    action: 'Pass --kubeconfig FILE, set KUBECONFIG, or check that the file exists and may be read.',
  },
  {
    code: 'BERTH_KUBECONFIG_INVALID',
    meaning: 'The kubeconfig is no valid YAML, or one of its keys is missing or wrong.',
    action: 'Correct the key that the message names.',
  },
  {
    code: 'BERTH_KUBECONFIG_CONTEXT',
    meaning: 'The context is not set, or names a context, cluster or user that the kubeconfig lacks.',
    action: 'Choose one of the contexts that the hint lists.',
  },
  {
    code: 'BERTH_KUBECONFIG_CREDENTIALS',
    meaning: 'A token file, certificate file or exec plugin that the kubeconfig names gave no credentials.',
    action: 'Check the file or run the exec plugin by hand.',
  },
  {
    code: 'BERTH_API_UNREACHABLE',
    meaning: 'No connection to the API server could be made; the request was not sent.',
    action: 'Check that the server of the context runs and can be reached from here.',
  },
  {
    code: 'BERTH_API_UNTRUSTED',
    meaning: 'The certificate of the API server could not be verified.',
    action: 'Check certificate-authority and the server name in the kubeconfig.',
  },
  {
    code: 'BERTH_API_BROKEN',
    meaning: 'The connection to the API server broke before the answer was complete.',
    action: 'Nothing; reads are retried, and writes are decided by reading the object again.',
  },
  {
    code: 'BERTH_API_TIMEOUT',
    meaning: 'The API server did not answer within the deadline of the call.',
    action: 'Look at the load of the API server if it happens often.',
  },
  {
    code: 'BERTH_API_CLOSED',
    meaning: 'The call was cancelled, or made after the connection had been closed.',
    action: 'Nothing; it happens at shutdown.',
  },
  {
    code: 'BERTH_API_WITHHELD',
    meaning: 'A write was not sent, because the process may not write any more: it has lost its lease.',
    action: 'Nothing; the process that holds the lease now does the work.',
  },
  {
    code: 'BERTH_LEASE_TIMES',
    meaning: 'leaseDuration, renewDeadline and retryPeriod of an election do not fit together.',
    action: 'Keep leaseDuration > renewDeadline > 1.2 x retryPeriod, and leaseDuration in whole seconds.',
  },
  {
    code: 'BERTH_API_UNREADABLE',
    meaning: 'The answer of the API server is no JSON or larger than allowed.',
    action: 'Check that the address belongs to an API server and not to a proxy or login page.',
  },
  {
    code: 'BERTH_API_INVALID',
    meaning: 'The API server found the request invalid (400, 422).',
    action: 'Read the field that the message names.',
  },
  {
    code: 'BERTH_API_UNAUTHORIZED',
    meaning: 'The API server did not accept the credentials (401), also after they had been read again.',
    action: 'Renew the token or the client certificate.',
  },
  {
    code: 'BERTH_API_FORBIDDEN',
    meaning: 'The identity lacks a permission (403).',
    action: 'Grant the verb and resource that the hint names.',
  },
  {
    code: 'BERTH_API_NOT_FOUND',
    meaning: 'The object or the resource type does not exist (404).',
    action: 'Check the name and that the resource type is served.',
  },
  {
    code: 'BERTH_API_CONFLICT',
    meaning: 'The object has changed meanwhile, or a precondition failed (409).',
    action: 'Nothing; the object is read again and the change repeated.',
  },
  {
    code: 'BERTH_API_ALREADY_EXISTS',
    meaning: 'An object of this name exists already (409).',
    action: 'Choose another name or change the existing object.',
  },
  {
    code: 'BERTH_API_EXPIRED',
    meaning: 'The resource version is too old to read or watch from (410).',
    action: 'Nothing; the list is read again.',
  },
  {
    code: 'BERTH_API_THROTTLED',
    meaning: 'The API server asked to slow down (429) for longer than the client waits.',
    action: 'Lower the QPS of the client or give it a priority level of its own.',
  },
  {
    code: 'BERTH_API_UNAVAILABLE',
    meaning: 'The API server failed to serve the request (5xx).',
    action: 'Look into the log of the API server if it persists.',
  },
  {
    code: 'BERTH_API_UNEXPECTED',
    meaning: 'The API server answered with a status that this client has no rule for.',
    action: 'Check that the address belongs to an API server.',
  },
]
