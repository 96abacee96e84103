// The HTTP client, in a module of its own so that it is loaded when it is first needed. It is named here and not where it is
// loaded, because a CommonJS package that is itself loaded late has no names in a bundle.
export { request } from 'undici';
