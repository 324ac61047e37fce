/* What the injector and its programs agree on: the measured part of a program lies
 * between two calls prctl(FAULTS_PRCTL, FAULTS_BEGIN or FAULTS_END), which the kernel
 * refuses and nobody else makes. */
#ifndef RONDO_FAULTS_H
#define RONDO_FAULTS_H

enum { FAULTS_PRCTL = 0x466c7473, FAULTS_BEGIN = 1, FAULTS_END = 2 };

#endif
