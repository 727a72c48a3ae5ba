import { isObject, listAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import type { Strategy } from '../kinds/strategy.ts'

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']

/**
 * Write rules of Ingresses. The embedded cluster stores them, but has no pod network to route requests.
 *
 * @see kubernetes pkg/apis/networking/validation ValidateIngressSpec (v1.36)
 */
export const ingressStrategy: Strategy = {
  validate(ingress) {
    const spec = objectAt(ingress, 'spec')
    const rules = listAt(spec, 'rules')
    const fallback = own(spec, 'defaultBackend')
    if (rules.length === 0 && fallback === undefined) {
      return [fieldError.invalid('spec', rules, 'either `defaultBackend` or `rules` must be specified')]
    }
    return [
      ...(fallback === undefined ? [] : validateBackend(fallback, 'spec.defaultBackend')),
      ...rules.flatMap((rule, i) => {
        const http = own(rule, 'http')
        return isObject(http) ? validatePaths(listAt(http, 'paths'), `spec.rules[${i}].http.paths`) : []
      }),
    ]
  },
}

/**
 * Write rules of IngressClasses.
 *
 * @see kubernetes pkg/apis/networking/v1/defaults.go SetDefaults_IngressClass (v1.36)
 */
export const ingressClassStrategy: Strategy = {
  defaults(ingressClass) {
    const spec = objectAt(ingressClass, 'spec')
    const parameters = own(spec, 'parameters')
    if (!isObject(parameters)) return ingressClass
    return { ...ingressClass, spec: { ...spec, parameters: { scope: 'Cluster', ...parameters } } }
  },
  validate: (ingressClass) =>
    stringAt(ingressClass, 'spec', 'controller') === '' ? [fieldError.required('spec.controller')] : [],
}

function validatePaths(paths: readonly unknown[], field: string): readonly StatusCause[] {
  if (paths.length === 0) return [fieldError.required(field)]
  return paths.flatMap((each, i) => [
    ...validatePath(each, `${field}[${i}]`),
    ...validateBackend(own(each, 'backend'), `${field}[${i}].backend`),
  ])
}

function validatePath(each: unknown, field: string): readonly StatusCause[] {
  const pathType = stringAt(each, 'pathType')
  const path = stringAt(each, 'path')
  if (pathType === '') return [fieldError.required(`${field}.pathType`, 'pathType must be specified')]
  if (!PATH_TYPES.includes(pathType)) return [fieldError.notSupported(`${field}.pathType`, pathType, PATH_TYPES)]
  if (path.startsWith('/') || (path === '' && pathType === 'ImplementationSpecific')) return []
  return [fieldError.invalid(`${field}.path`, path, 'must be an absolute path')]
}

function validateBackend(backend: unknown, field: string): readonly StatusCause[] {
  const service = own(backend, 'service')
  const resource = own(backend, 'resource')
  if (service !== undefined && resource !== undefined) {
    return [fieldError.invalid(field, '', 'cannot set both resource and service backends')]
  }
  if (resource !== undefined) return []
  if (service === undefined) return [fieldError.required(field, 'a service or resource is required')]
  const port = objectAt(service, 'port')
  return [
    ...(stringAt(service, 'name') === '' ? [fieldError.required(`${field}.service.name`)] : []),
    ...(own(port, 'name') === undefined && own(port, 'number') === undefined
      ? [fieldError.required(`${field}.service.port`, 'port name or number is required')]
      : []),
  ]
}
