import type { ErrorDescription } from '@berth/types'

/** The catalogue of the error codes of this package. */
export const k8sClientErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_KUBECONFIG_MISSING',
    meaning: 'No kubeconfig could be found or read, and the process does not run in a pod.',
    action: 'Pass --kubeconfig FILE, set KUBECONFIG, or check that the file exists and may be read.',
  },
  {
    code: 'BERTH_KUBECONFIG_INVALID',
    meaning: 'The kubeconfig is not valid YAML, or one of its keys is missing or wrong.',
    action: 'Correct the key that the message names.',
  },
  {
    code: 'BERTH_KUBECONFIG_CONTEXT',
    meaning:
      'The current context is not set, or it names a context, cluster or user that the kubeconfig does not contain.',
    action: 'Choose one of the contexts listed in the hint.',
  },
  {
    code: 'BERTH_KUBECONFIG_CREDENTIALS',
    meaning: 'A token file, certificate file or exec plugin named in the kubeconfig returned no credentials.',
    action: 'Check the file or run the exec plugin by hand.',
  },
  {
    code: 'BERTH_API_UNREACHABLE',
    meaning: 'The client could not connect to the API server; the request was not sent.',
    action: 'Check that the server of the context runs and can be reached from this machine.',
  },
  {
    code: 'BERTH_API_REFUSED',
    meaning: 'The API server refused a request before reading it, again and again; nothing was changed.',
    action: 'If it happens often, check --goaway-chance and the restarts of the API server.',
  },
  {
    code: 'BERTH_API_UNTRUSTED',
    meaning: 'The certificate of the API server could not be verified.',
    action: 'Check certificate-authority and the server name in the kubeconfig.',
  },
  {
    code: 'BERTH_API_BROKEN',
    meaning: 'The connection to the API server broke before the response was complete.',
    action: 'None: reads are retried, and after a write the object is read again to see whether it happened.',
  },
  {
    code: 'BERTH_API_TIMEOUT',
    meaning: 'The API server did not answer within the deadline of the call.',
    action: 'If it happens often, check the load of the API server.',
  },
  {
    code: 'BERTH_API_CLOSED',
    meaning: 'The call was cancelled, or made after the connection had been closed.',
    action: 'None: it happens at shutdown.',
  },
  {
    code: 'BERTH_API_WITHHELD',
    meaning: 'A write was not sent, because the process has lost its lease and may no longer write.',
    action: 'None: the process that holds the lease now does the work.',
  },
  {
    code: 'BERTH_API_NOT_BOUND',
    meaning:
      'A pod was not bound: the API server rejected the bind, or the response was lost and the pod was not bound in time.',
    action: 'Nothing: the scheduler retries the pod.',
  },
  {
    code: 'BERTH_LEASE_TIMES',
    meaning: 'leaseDuration, renewDeadline and retryPeriod of an election do not fit together.',
    action: 'Keep leaseDuration > renewDeadline > 1.2 x retryPeriod, and leaseDuration in whole seconds.',
  },
  {
    code: 'BERTH_API_UNREADABLE',
    meaning: 'The response is not JSON, or it is larger than allowed.',
    action: 'Check that the address belongs to an API server and not to a proxy or login page.',
  },
  {
    code: 'BERTH_API_INVALID',
    meaning: 'The API server rejected the request as invalid (400, 422).',
    action: 'Correct the field that the message names.',
  },
  {
    code: 'BERTH_API_UNAUTHORIZED',
    meaning: 'The API server did not accept the credentials (401), even after they were reloaded.',
    action: 'Renew the token or the client certificate.',
  },
  {
    code: 'BERTH_API_FORBIDDEN',
    meaning: 'The identity does not have a permission (403).',
    action: 'Grant the verb on the resource as the hint says.',
  },
  {
    code: 'BERTH_API_NOT_FOUND',
    meaning: 'The object or the resource type does not exist (404).',
    action: 'Check the name, and whether the server serves the resource type.',
  },
  {
    code: 'BERTH_API_CONFLICT',
    meaning: 'The object has changed since it was read, or a precondition failed (409).',
    action: 'None: the object is read again and the change is retried.',
  },
  {
    code: 'BERTH_API_ALREADY_EXISTS',
    meaning: 'An object with this name already exists (409).',
    action: 'Choose another name or change the existing object.',
  },
  {
    code: 'BERTH_API_EXPIRED',
    meaning: 'The resource version is too old to read or watch from (410).',
    action: 'None: the list is read again.',
  },
  {
    code: 'BERTH_API_THROTTLED',
    meaning: 'The API server throttled the client (429) for longer than the client waits.',
    action: 'Lower the QPS of the client, or give it its own priority level.',
  },
  {
    code: 'BERTH_API_UNAVAILABLE',
    meaning: 'The API server failed to serve the request (5xx).',
    action: 'If it persists, check the log of the API server.',
  },
  {
    code: 'BERTH_API_UNEXPECTED',
    meaning: 'The API server answered with a status that this client does not handle.',
    action: 'Check that the address belongs to an API server.',
  },
]
