'use strict';
// events.EventEmitterAsyncResource: an emitter whose listeners run in the context that it was made
// in.

const { over } = intrinsics;
const EventEmitter = require('events');
const { AsyncResource } = require('async_hooks');
const { coded, validateString } = require('internal/errors');

const foreign = (name) => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`);

// The context itself, which leads back to its emitter.
class EventEmitterReferencingAsyncResource extends AsyncResource {
  #emitter;

  constructor(emitter, ...given) {
    super(...over(given));
    this.#emitter = emitter;
  }

  get eventEmitter() {
    if (#emitter in this) return this.#emitter;
    throw foreign('EventEmitterReferencingAsyncResource');
  }
}

class EventEmitterAsyncResource extends EventEmitter {
  #context;

  // A text is the type alone. Only a class of the program's may do without a name.
  constructor(given = undefined) {
    const isType = typeof given === 'string';
    const options = isType ? undefined : given;
    if (!isType && new.target === EventEmitterAsyncResource) validateString(given?.name, 'options.name');
    super(options);
    const type = isType ? given : given?.name || new.target.name;
    this.#context = new EventEmitterReferencingAsyncResource(this, type, options);
  }

  get asyncResource() {
    if (!(#context in this) || this.#context === undefined) throw foreign('EventEmitterAsyncResource');
    return this.#context;
  }

  get asyncId() {
    return contextOf(this).asyncId();
  }

  get triggerAsyncId() {
    return contextOf(this).triggerAsyncId();
  }

  emit(...event) {
    return contextOf(this).runInAsyncScope(super.emit, this, ...over(event));
  }

  emitDestroy() {
    contextOf(this).emitDestroy();
  }
}

const { get: readContext } = Object.getOwnPropertyDescriptor(EventEmitterAsyncResource.prototype, 'asyncResource');
const contextOf = (emitter) => Reflect.apply(readContext, emitter, []);

module.exports = { EventEmitterAsyncResource };
