import type { ApiRequest, ApiResponse } from '@berth/types'
import { authorize, grantedRules } from '../auth/authorize.ts'
import { withAuthenticatedGroup, MASTERS } from '../auth/identity.ts'
import type { UserInfo } from '../resources/context/user-info.ts'
import type { RequestAttributes } from '../auth/request-attributes.ts'
import { verifyToken } from '../auth/service-account-tokens.ts'
import { listAt, objectAt, own, stringAt, type JsonObject } from '../schema/json/json-object.ts'
import { badRequest, methodNotAllowed } from '../schema/status/api-errors.ts'
import { bodyObject } from './content/read-body.ts'
import { jsonResponse } from './content/responses.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { timestamp } from '../store/generated-metadata.ts'

type ReviewHandler = (context: ServerContext, user: UserInfo, review: JsonObject) => object

const AUTHORIZATION = '/apis/authorization.k8s.io/v1/'
const AUTHENTICATION = '/apis/authentication.k8s.io/v1/'

const HANDLERS: ReadonlyMap<string, ReviewHandler> = new Map<string, ReviewHandler>([
  [
    `${AUTHORIZATION}selfsubjectaccessreviews`,
    (context, user, review) => accessStatus(context, user, objectAt(review, 'spec')),
  ],
  [`${AUTHORIZATION}subjectaccessreviews`, subjectAccessStatus],
  [`${AUTHORIZATION}selfsubjectrulesreviews`, selfRulesStatus],
  [`${AUTHENTICATION}selfsubjectreviews`, (_, user) => ({ userInfo: user })],
  [`${AUTHENTICATION}tokenreviews`, tokenReviewStatus],
])

/** Answers access and token reviews. Returns undefined when the path is not one of theirs. */
export function answerAccessReview(
  context: ServerContext,
  user: UserInfo,
  http: ApiRequest,
  pathname: string,
): ApiResponse | undefined {
  const [, namespace] =
    /^\/apis\/authorization\.k8s\.io\/v1\/namespaces\/([^/]+)\/localsubjectaccessreviews$/.exec(pathname) ?? []
  const handler = namespace === undefined ? HANDLERS.get(pathname) : subjectAccessStatus
  if (handler === undefined) return undefined
  if (http.method !== 'POST') throw methodNotAllowed()
  const review = bodyObject({ http })
  const metadata = { ...objectAt(review, 'metadata'), creationTimestamp: timestamp(context.clock) }
  const isAboutCaller = pathname.endsWith('/selfsubjectreviews')
  return jsonResponse(201, {
    ...review,
    metadata: isAboutCaller ? metadata : objectAt(review, 'metadata'),
    status: handler(context, user, review),
  })
}

function accessStatus(context: ServerContext, user: UserInfo, spec: JsonObject): object {
  const attributes = attributesOf(spec)
  if (attributes === undefined) {
    throw badRequest('spec.resourceAttributes or spec.nonResourceAttributes must be given')
  }
  const { allowed, reason } = authorize(context, user, attributes)
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

function attributesOf(spec: JsonObject): RequestAttributes | undefined {
  const resource = own(spec, 'resourceAttributes')
  if (resource !== undefined) {
    return {
      verb: stringAt(resource, 'verb'),
      path: '',
      resource: {
        group: stringAt(resource, 'group'),
        version: stringAt(resource, 'version'),
        resource: stringAt(resource, 'resource'),
        subresource: stringAt(resource, 'subresource'),
        namespace: stringAt(resource, 'namespace'),
        name: stringAt(resource, 'name'),
      },
    }
  }
  const path = own(spec, 'nonResourceAttributes')
  return path === undefined ? undefined : { verb: stringAt(path, 'verb'), path: stringAt(path, 'path') }
}

function subjectAccessStatus(context: ServerContext, _: UserInfo, review: JsonObject): object {
  const spec = objectAt(review, 'spec')
  const user = withAuthenticatedGroup({ username: stringAt(spec, 'user'), groups: listAt(spec, 'groups').map(String) })
  return accessStatus(
    context,
    listAt(spec, 'groups').includes('system:authenticated') ? user : withoutAuthenticatedGroup(user),
    spec,
  )
}

// A SubjectAccessReview applies to the named groups only.
function withoutAuthenticatedGroup(user: UserInfo): UserInfo {
  return { ...user, groups: user.groups.filter((group) => group !== 'system:authenticated') }
}

const ALL_RESOURCE_RULES = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]

function selfRulesStatus(context: ServerContext, user: UserInfo, review: JsonObject): object {
  if (!context.hasRbac || user.groups.includes(MASTERS)) {
    const paths = [{ verbs: ['*'], nonResourceURLs: ['*'] }]
    return { resourceRules: ALL_RESOURCE_RULES, nonResourceRules: paths, incomplete: false }
  }
  const { rules } = grantedRules(context, user, stringAt(review, 'spec', 'namespace'))
  return {
    resourceRules: rules.flatMap(({ rule: { verbs, apiGroups, resources, resourceNames } }) =>
      resources.length === 0
        ? []
        : [{ verbs, apiGroups, resources, ...(resourceNames.length === 0 ? {} : { resourceNames }) }],
    ),
    nonResourceRules: rules.flatMap(({ rule: { verbs, nonResourceURLs } }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    incomplete: false,
  }
}

function tokenReviewStatus(context: ServerContext, _: UserInfo, review: JsonObject): object {
  const audiences = listAt(review, 'spec', 'audiences').map(String)
  const token = stringAt(review, 'spec', 'token')
  const userOfDefaultAudience = audiences.length === 0 ? verifyToken(context, token) : undefined
  const matchingAudiences = audiences.filter((audience) => verifyToken(context, token, audience) !== undefined)
  const user =
    userOfDefaultAudience ??
    (matchingAudiences[0] === undefined ? undefined : verifyToken(context, token, matchingAudiences[0]))
  if (user === undefined) return { user: {}, error: 'invalid bearer token' }
  return { authenticated: true, user, ...(matchingAudiences.length === 0 ? {} : { audiences: matchingAudiences }) }
}
