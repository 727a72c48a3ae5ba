import type { ApiRequest, ApiResponse } from '@berth/types'
import { jsonResponse, textResponse } from './respond.ts'
import type { ServerContext } from './server-context.ts'

/** Version that the server says it is. */
const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'go1.25',
  compiler: 'gc',
  platform: 'linux/amd64',
}

/** Answers requests for what is not a resource: version and health. Undefined: no such path. */
export function routeMeta(_context: ServerContext, _http: ApiRequest, url: URL): ApiResponse | undefined {
  switch (url.pathname) {
    case '/version':
      return jsonResponse(200, VERSION)
    case '/healthz':
    case '/livez':
    case '/readyz':
      return textResponse(200, 'text/plain; charset=utf-8', 'ok')
    default:
      return undefined
  }
}
